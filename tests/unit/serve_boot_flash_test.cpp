// SPDX-License-Identifier: Apache-2.0
//
// What an image brings back of the boot flash: the area that was active runs from power-up, or the
// image is refused.
#include <catch2/catch.hpp>

#include "models/nor/nor_flash.h"

namespace serve_boot_flash_test {

using namespace ssdvp;

namespace {

/// Takes images that begin with 'y'.
class loader final : public nor::image_loader {
public:
    bool load(std::uint32_t area, const std::vector<unsigned char>& bytes) override
    {
        loaded = area;
        return bytes.at(0) == 'y';
    }
    void stop() override {}
    [[nodiscard]] bool stopped() const override { return true; }
    void start(std::uint32_t, bool) override {}

    std::uint32_t loaded = NOR_AREA_BUILT_IN;
};

} // namespace

TEST_CASE("boot flash: an area that is restored is made ready and active", "[serve]")
{
    loader to;
    nor::nor_flash nor("nor", to, 0);
    CHECK(nor.active() == NOR_AREA_BUILT_IN);
    nor.restore(1, {'y', 'e', 's'});
    nor.restore(2, {'n', 'o'});
    CHECK(nor.area(1).size() == 3);
    CHECK_FALSE(nor.restore_active(2)); // the loader refuses it
    CHECK_FALSE(nor.restore_active(3)); // nothing is there
    CHECK_FALSE(nor.restore_active(NOR_AREAS));
    CHECK(nor.active() == NOR_AREA_BUILT_IN);
    CHECK(nor.restore_active(1));
    CHECK(to.loaded == 1);
    CHECK(nor.active() == 1);
    CHECK(nor.restore_active(NOR_AREA_BUILT_IN));
    CHECK(nor.active() == NOR_AREA_BUILT_IN);
    CHECK(nor.changes() == 0); // what the image holds already is not written to it again
}

} // namespace serve_boot_flash_test
