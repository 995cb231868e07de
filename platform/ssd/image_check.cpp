// SPDX-License-Identifier: Apache-2.0
#include "platform/ssd/image_check.h"

#include <algorithm>
#include <cstring>
#include <elf.h>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <vector>

#include "platform/ssd/firmware_error.h"

namespace ssdvp::platform {

namespace {

#if defined(__x86_64__)
constexpr Elf64_Half host_machine = EM_X86_64;
#elif defined(__aarch64__)
constexpr Elf64_Half host_machine = EM_AARCH64;
#else
constexpr Elf64_Half host_machine = EM_NONE;
#endif

std::string machine_name(Elf64_Half machine)
{
    switch (machine) {
    case EM_X86_64:
        return "x86-64";
    case EM_AARCH64:
        return "AArch64";
    case EM_ARM:
        return "32-bit Arm";
    case EM_RISCV:
        return "RISC-V";
    default:
        return fmt::format("machine {}", machine);
    }
}

/// As the file has them; fewer where it ends before.
std::vector<Elf64_Phdr> program_headers(std::ifstream& file, const Elf64_Ehdr& header)
{
    std::vector<Elf64_Phdr> all;
    for (unsigned i = 0; i < header.e_phnum; ++i) {
        Elf64_Phdr part{};
        file.clear();
        file.seekg(static_cast<std::streamoff>(header.e_phoff + i * sizeof part));
        if (!file.read(reinterpret_cast<char*>(&part), sizeof part)) {
            break;
        }
        all.push_back(part);
    }
    return all;
}

bool holds(const Elf64_Phdr& load, const Elf64_Phdr& part)
{
    return load.p_type == PT_LOAD && part.p_vaddr >= load.p_vaddr && part.p_memsz <= load.p_memsz &&
           part.p_vaddr - load.p_vaddr <= load.p_memsz - part.p_memsz;
}

/// The System V ABI, "Program Header": the loader maps without a look. Null: as it should be.
const char* wrong_with(const Elf64_Phdr& part, const Elf64_Phdr* load_before)
{
    constexpr std::uint64_t page = 4096;
    constexpr std::uint64_t most = std::uint64_t{1} << 32; // bytes of an image
    if (part.p_memsz > most || part.p_vaddr > most) {
        return "lies beyond 4 GiB";
    }
    if ((part.p_align & (part.p_align - 1)) != 0) {
        return "has an alignment that is no power of two";
    }
    if (part.p_type != PT_LOAD) {
        return nullptr;
    }
    if (part.p_filesz > part.p_memsz) {
        return "is larger in the file than in memory";
    }
    if (part.p_vaddr % page != part.p_offset % page) {
        return "lies elsewhere in its page than in the file's";
    }
    const bool apart =
        load_before == nullptr || part.p_vaddr >= load_before->p_vaddr + load_before->p_memsz;
    return apart ? nullptr : "lies before the end of another one";
}

/// Throws when the program headers are not what a linker writes.
void check_parts(const std::string& path, const std::vector<Elf64_Phdr>& parts, std::uint64_t size)
{
    const Elf64_Phdr* last = nullptr;
    for (std::size_t i = 0; i < parts.size(); ++i) {
        const Elf64_Phdr& part = parts[i];
        if (part.p_filesz > size || part.p_offset > size - part.p_filesz) {
            throw firmware_error(fmt::format(
                "{}: the file ends before what its header names; copy or build it again", path));
        }
        const char* wrong = wrong_with(part, last);
        const bool loaded = part.p_type != PT_DYNAMIC ||
                            std::any_of(parts.begin(), parts.end(),
                                        [&](const Elf64_Phdr& l) { return holds(l, part); });
        if (wrong != nullptr || !loaded) {
            throw firmware_error(fmt::format("{}: is damaged: part {} of its program {}; copy or "
                                             "build it again",
                                             path, i, loaded ? wrong : "is not loaded"));
        }
        last = part.p_type == PT_LOAD ? &part : last;
    }
    if (last == nullptr) {
        throw firmware_error(
            fmt::format("{}: is damaged: it has nothing to load; copy or build it again", path));
    }
}

} // namespace

void check_image_file(const std::string& path)
{
    if (!std::filesystem::is_regular_file(path)) {
        throw firmware_error(
            fmt::format("{}: no such firmware image; build one with scripts/fw-build DIR -o {}, or "
                        "check the path",
                        path, path));
    }
    Elf64_Ehdr header{};
    std::ifstream file(path, std::ios::binary);
    file.read(reinterpret_cast<char*>(&header), sizeof header);
    // e_type and e_machine lie at the same place in both classes.
    if (file.gcount() < 20 || std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0) {
        throw firmware_error(fmt::format("{}: not a shared object (no ELF header); build one with "
                                         "scripts/fw-build DIR -o FILE.so",
                                         path));
    }
    if (header.e_machine != host_machine && host_machine != EM_NONE) {
        throw firmware_error(
            fmt::format("{}: built for {}, but this platform runs firmware natively on {}; build "
                        "it with scripts/fw-build without --elf",
                        path, machine_name(header.e_machine), machine_name(host_machine)));
    }
    if (header.e_type != ET_DYN) {
        throw firmware_error(fmt::format("{}: an ELF file but no shared object; link it with "
                                         "-shared, as scripts/fw-build does",
                                         path));
    }
    const std::vector<Elf64_Phdr> parts = program_headers(file, header);
    if (parts.size() != header.e_phnum) {
        throw firmware_error(fmt::format(
            "{}: the file ends before what its header names; copy or build it again", path));
    }
    check_parts(path, parts, std::filesystem::file_size(path));
}

void check_image(const std::string& path, const firmware_image& image)
{
    if (image.magic != FIRMWARE_IMAGE_MAGIC) {
        throw firmware_error(
            fmt::format("{}: `{}` is no struct firmware_image (magic {:#x} instead of {:#x}); fill "
                        "it in as firmware/hal/hal.h says",
                        path, FIRMWARE_IMAGE_SYMBOL, image.magic, FIRMWARE_IMAGE_MAGIC));
    }
    if (image.abi_version != HAL_ABI_VERSION) {
        throw firmware_error(
            fmt::format("{}: built for version {} of the port, this platform has version {}; build "
                        "it again with scripts/fw-build of this clone",
                        path, image.abi_version, HAL_ABI_VERSION));
    }
    if (image.main == nullptr) {
        throw firmware_error(
            fmt::format("{}: `{}` has no entry point; set .main to the function that runs the core",
                        path, FIRMWARE_IMAGE_SYMBOL));
    }
    if ((image.precondition == nullptr) != (image.precondition_end == nullptr)) {
        throw firmware_error(
            fmt::format("{}: `{}` has one of .precondition and .precondition_end; set both or none",
                        path, FIRMWARE_IMAGE_SYMBOL));
    }
    if (image.counts != nullptr && image.precondition == nullptr) {
        throw firmware_error(fmt::format("{}: `{}` has .counts, but not .precondition and "
                                         ".precondition_end, which belong to it; set all or none",
                                         path, FIRMWARE_IMAGE_SYMBOL));
    }
}

} // namespace ssdvp::platform
