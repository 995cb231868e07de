// SPDX-License-Identifier: Apache-2.0
#include "platform/serve/nbd_server.h"

#include <algorithm>
#include <array>
#include <boost/asio.hpp>
#include <csignal>
#include <filesystem>
#include <fmt/format.h>
#include <malloc.h>
#include <map>
#include <poll.h>
#include <pthread.h>
#include <sys/stat.h>
#include <thread>

namespace ssdvp::platform {

namespace asio = boost::asio;
using error_code = boost::system::error_code;
using stream_protocol = asio::generic::stream_protocol;

namespace {

constexpr std::size_t read_size = 256u << 10;
constexpr auto drain_limit = std::chrono::seconds(5); // for clients to take their replies

/// Signals belong to the simulation's thread: its guard looks at the stack that they come upon.
void block_signals(sigset_t* before)
{
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, before);
}

/// Removes a socket that a server left behind; anything else stays.
void remove_stale(const std::string& path)
{
    struct stat s {};
    if (lstat(path.c_str(), &s) != 0) {
        return;
    }
    if (!S_ISSOCK(s.st_mode)) {
        throw serve_error(fmt::format("--nbd-unix {}: a file of that name exists and is no socket; "
                                      "remove it, or give another name",
                                      path));
    }
    asio::io_context io;
    asio::local::stream_protocol::socket probe(io);
    error_code error;
    probe.connect(asio::local::stream_protocol::endpoint(path), error);
    if (!error) {
        throw serve_error(fmt::format("--nbd-unix {}: another server listens there; stop it, or "
                                      "give another path",
                                      path));
    }
    std::filesystem::remove(path);
}

} // namespace

class nbd_server::state {
public:
    state(const nbd_server_options& options, gate& way);
    ~state();
    state(const state&) = delete;
    state& operator=(const state&) = delete;

    block_door& door() { return m_door; }
    [[nodiscard]] std::string uri() const;
    void open(const nbd_export& what);
    void make_read_only();
    void drain();
    [[nodiscard]] int signal() const { return m_signal.load(); }
    [[nodiscard]] nbd_server_counts counts() const { return m_counts; }

private:
    struct client final : nbd_sink {
        client(stream_protocol::socket from, const nbd_export& what, hole_map& holes,
               nbd_memory& all, block_door& to)
            : door(to), socket(std::move(from)), patience(socket.get_executor()),
              link(what, holes, all, *this)
        {}
        void post(block_request& r) override
        {
            r.poster = this;
            door.post(r);
        }
        block_door& door;
        stream_protocol::socket socket;
        asio::steady_timer patience; // with the handshake
        nbd_connection link;
        std::uint64_t number = 0;
        std::array<unsigned char, read_size> in{};
        std::size_t in_begin = 0, in_end = 0; // bytes that wait for room
        std::vector<unsigned char> sending;
        bool reading = false;
        bool writing = false;
        bool dead = false; // the socket is closed
        bool told = false; // in m_touched
    };

    void listen();
    void accept();
    void take_in(stream_protocol::socket socket);
    void find_vanished();
    bool make_room();
    void limit_handshake(client& c);
    void drop(client& c, std::string why);
    void read(client& c);
    void feed(client& c);
    void write(client& c);
    void look(client& c);
    void hang_up(client& c);
    void requests_returned();
    void feed_waiting();
    void begin_drain();
    void drained();
    void log(const std::string& text) const
    {
        if (m_options.log) {
            m_options.log(text);
        }
    }

    nbd_server_options m_options;
    gate& m_gate;
    asio::io_context m_io;
    asio::executor_work_guard<asio::io_context::executor_type> m_work;
    asio::basic_socket_acceptor<stream_protocol> m_acceptor;
    asio::signal_set m_signals;
    asio::steady_timer m_patience;
    block_door m_door;
    nbd_export m_export;
    hole_map m_holes{0};
    nbd_memory m_memory; // outlives the clients
    std::map<std::uint64_t, std::unique_ptr<client>> m_clients;
    std::vector<block_request*> m_returned;
    std::vector<client*> m_touched;
    std::uint64_t m_next = 1;
    bool m_draining = false;
    nbd_server_counts m_counts;
    std::atomic<int> m_signal{0};
    std::thread m_thread;
};

nbd_server::state::state(const nbd_server_options& options, gate& way)
    : m_options(options), m_gate(way), m_work(m_io.get_executor()), m_acceptor(m_io),
      m_signals(m_io), m_patience(m_io),
      m_door(way, [this] { asio::post(m_io, [this] { requests_returned(); }); })
{
    listen();
    m_signals.add(SIGINT);
    m_signals.add(SIGTERM);
    m_signals.async_wait([this](const error_code& error, int number) {
        if (!error) {
            m_signal = number;
            m_signals.clear(); // the next one ends the program
            if (m_options.second_signal != nullptr) {
                std::signal(SIGINT, m_options.second_signal);
                std::signal(SIGTERM, m_options.second_signal);
            }
            begin_drain();
        }
    });
    sigset_t before;
    block_signals(&before);
    m_thread = std::thread([this] { m_io.run(); });
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

nbd_server::state::~state()
{
    m_io.stop();
    m_thread.join();
    error_code ignored;
    m_acceptor.close(ignored);
    if (m_options.address.is_unix()) {
        std::error_code none;
        std::filesystem::remove(m_options.address.unix_path, none);
    }
}

void nbd_server::state::listen()
{
    const nbd_address& a = m_options.address;
    stream_protocol::endpoint at;
    std::string name;
    if (a.is_unix()) {
        remove_stale(a.unix_path);
        at = asio::local::stream_protocol::endpoint(a.unix_path);
        name = "--nbd-unix " + a.unix_path;
    } else {
        at = asio::ip::tcp::endpoint(asio::ip::make_address(a.host), a.port);
        name = fmt::format("--nbd-tcp {}:{}", a.host, a.port);
    }
    error_code error;
    m_acceptor.open(at.protocol(), error);
    if (!error && !a.is_unix()) {
        m_acceptor.set_option(asio::socket_base::reuse_address(true), error);
    }
    const mode_t mask = ::umask(0077); // a Unix socket is its owner's alone
    if (!error) {
        m_acceptor.bind(at, error);
    }
    ::umask(mask);
    if (!error) {
        m_acceptor.listen(asio::socket_base::max_listen_connections, error);
    }
    if (error) {
        throw serve_error(fmt::format("{}: cannot listen there: {}; give {}", name, error.message(),
                                      a.is_unix() ? "a path in a folder that can be written"
                                                  : "another address"));
    }
}

std::string nbd_server::state::uri() const
{
    const nbd_address& a = m_options.address;
    if (a.is_unix()) {
        return "nbd+unix:///?socket=" + a.unix_path;
    }
    const auto at = m_acceptor.local_endpoint();
    asio::ip::tcp::endpoint tcp;
    std::memcpy(tcp.data(), at.data(), at.size());
    const bool v6 = tcp.address().is_v6();
    return fmt::format("nbd://{}{}{}:{}", v6 ? "[" : "", tcp.address().to_string(), v6 ? "]" : "",
                       tcp.port());
}

void nbd_server::state::open(const nbd_export& what)
{
    asio::post(m_io, [this, what] {
        m_export = what;
        m_holes = hole_map(what.bytes);
        if (!m_draining) {
            accept();
        }
    });
}

void nbd_server::state::make_read_only()
{
    asio::post(m_io, [this] { m_export.read_only = true; });
}

void nbd_server::state::accept()
{
    m_acceptor.async_accept([this](const error_code& error, stream_protocol::socket socket) {
        if (error == asio::error::operation_aborted || m_draining) {
            return;
        }
        if (!error) {
            take_in(std::move(socket));
        } else { // out of descriptors, say: not again at once
            log(fmt::format("cannot take a connection: {}", error.message()));
            m_patience.expires_after(std::chrono::milliseconds(100));
            m_patience.async_wait([this](const error_code& e) {
                if (!e) {
                    accept();
                }
            });
            return;
        }
        accept();
    });
}

/// Clients whose other end is closed: with requests under way nobody reads on, and hears of it.
void nbd_server::state::find_vanished()
{
    std::vector<client*> vanished;
    for (const auto& [number, c] : m_clients) {
        pollfd p{c->dead ? -1 : c->socket.native_handle(), POLLRDHUP, 0};
        if (!c->link.closed() && ::poll(&p, 1, 0) == 1 &&
            (p.revents & (POLLRDHUP | POLLHUP | POLLERR)) != 0) {
            vanished.push_back(c.get());
        }
    }
    for (client* c : vanished) {
        c->link.close({});
        look(*c);
    }
}

/// Clients that have not come to requests yet make room for a new one, the oldest first. Those that
/// have gone count no more, though their last requests are under way, until they are as many again.
bool nbd_server::state::make_room()
{
    const auto open = [this] {
        return static_cast<std::size_t>(
            std::count_if(m_clients.begin(), m_clients.end(),
                          [](const auto& c) { return !c.second->link.closed(); }));
    };
    if (open() >= m_options.connections) {
        find_vanished();
    }
    if (open() < m_options.connections) {
        return m_clients.size() < std::size_t{2} * m_options.connections;
    }
    for (const auto& [number, c] : m_clients) {
        if (!c->link.closed() && !c->link.transmitting()) {
            drop(*c, "all places were taken, and its handshake was not over");
            return true;
        }
    }
    return false;
}

/// A client that says nothing, or never comes to an end, would keep its place for ever.
void nbd_server::state::limit_handshake(client& c)
{
    c.patience.expires_after(m_options.handshake);
    c.patience.async_wait([this, number = c.number](const error_code& error) {
        const auto found = m_clients.find(number);
        if (error || found == m_clients.end() || found->second->link.transmitting()) {
            return;
        }
        drop(*found->second, fmt::format("no handshake within {} ms", m_options.handshake.count()));
    });
}

void nbd_server::state::drop(client& c, std::string why)
{
    c.link.close(std::move(why));
    hang_up(c);
    look(c);
}

void nbd_server::state::take_in(stream_protocol::socket socket)
{
    if (!make_room()) {
        ++m_counts.refused;
        log(fmt::format("a connection is refused: {} are open", m_clients.size()));
        return; // which closes it
    }
    if (!m_options.address.is_unix()) {
        error_code ignored;
        socket.set_option(asio::ip::tcp::no_delay(true), ignored);
        socket.set_option(asio::socket_base::keep_alive(true), ignored); // of a host that is gone
    }
    auto c = std::make_unique<client>(std::move(socket), m_export, m_holes, m_memory, m_door);
    c->number = m_next++;
    ++m_counts.connections;
    client& taken = *c;
    m_clients.emplace(taken.number, std::move(c));
    limit_handshake(taken);
    write(taken);
    read(taken);
}

void nbd_server::state::read(client& c)
{
    if (c.reading || c.dead || c.in_begin != c.in_end || c.link.closed() || m_draining) {
        return;
    }
    c.reading = true;
    c.socket.async_read_some(asio::buffer(c.in), [this, &c](const error_code& error, auto length) {
        c.reading = false;
        if (error) {
            c.link.close(error == asio::error::eof ? std::string() : error.message());
        } else {
            c.in_begin = 0;
            c.in_end = length;
            feed(c);
        }
        look(c);
    });
}

/// Gives the connection what it has room for.
void nbd_server::state::feed(client& c)
{
    c.link.set_unsent(c.sending.size());
    if (!m_draining) {
        c.in_begin += c.link.feed(c.in.data() + c.in_begin, c.in_end - c.in_begin);
    }
}

void nbd_server::state::write(client& c)
{
    if (c.writing || c.dead || c.link.output().empty()) {
        return;
    }
    c.sending.clear();
    c.sending.swap(c.link.output());
    c.writing = true;
    asio::async_write(c.socket, asio::buffer(c.sending),
                      [this, &c](const error_code& error, std::size_t) {
                          c.writing = false;
                          c.sending.clear();
                          if (c.sending.capacity() > nbd_limits::kept_buffers) {
                              c.sending.shrink_to_fit();
                          }
                          if (error) {
                              c.link.close(error.message());
                              c.link.output().clear();
                              hang_up(c);
                          }
                          look(c);
                          feed_waiting();
                      });
}

void nbd_server::state::hang_up(client& c)
{
    if (!c.dead) {
        c.dead = true;
        error_code ignored;
        c.socket.close(ignored);
    }
}

/// What can go on with a client goes on; one that is through is forgotten.
void nbd_server::state::look(client& c)
{
    if (c.in_begin != c.in_end && !c.link.closed()) {
        feed(c);
    }
    write(c);
    read(c);
    const bool through = c.link.closed() || m_draining;
    if (!through || c.link.under_way() != 0 || (c.writing && !c.dead)) {
        return;
    }
    hang_up(c);
    if (c.reading || c.writing) {
        return; // their handlers come with an error
    }
    if (!c.link.reason().empty()) {
        ++m_counts.broken;
        log(fmt::format("connection {} closed: {}", c.number, c.link.reason()));
    }
    m_counts.requests += c.link.requests();
    m_clients.erase(c.number);
    ::malloc_trim(0); // else the C library keeps what it had, for a client that is gone
    drained();
}

void nbd_server::state::requests_returned()
{
    m_door.take(m_returned);
    for (block_request* r : m_returned) {
        auto* c = static_cast<client*>(r->poster);
        c->link.returned(*r);
        if (!c->told) {
            c->told = true;
            m_touched.push_back(c);
        }
    }
    for (client* c : m_touched) {
        c->told = false;
        look(*c);
    }
    m_touched.clear();
    feed_waiting();
}

/// Clients that had to wait for what others held.
void nbd_server::state::feed_waiting()
{
    std::vector<client*> waiting;
    for (auto& [number, c] : m_clients) {
        if (c->in_begin != c->in_end && !c->link.closed()) {
            waiting.push_back(c.get());
        }
    }
    for (client* c : waiting) {
        look(*c);
    }
}

void nbd_server::state::drain()
{
    asio::post(m_io, [this] { begin_drain(); });
}

void nbd_server::state::begin_drain()
{
    if (m_draining) {
        return;
    }
    m_draining = true;
    error_code ignored;
    m_acceptor.close(ignored);
    m_patience.expires_after(drain_limit);
    m_patience.async_wait([this](const error_code& error) {
        if (!error) {
            std::vector<client*> all;
            for (auto& [number, c] : m_clients) {
                all.push_back(c.get());
            }
            for (client* c : all) {
                hang_up(*c);
                look(*c);
            }
        }
    });
    std::vector<client*> all;
    for (auto& [number, c] : m_clients) {
        all.push_back(c.get());
    }
    for (client* c : all) {
        c->link.close({});
        look(*c);
    }
    drained();
}

void nbd_server::state::drained()
{
    if (m_draining && m_clients.empty()) {
        m_patience.cancel();
        m_gate.end();
    }
}

nbd_server::nbd_server(const nbd_server_options& options, gate& way)
    : m_state(std::make_unique<state>(options, way))
{}

nbd_server::~nbd_server() = default;

block_door& nbd_server::door()
{
    return m_state->door();
}

std::string nbd_server::uri() const
{
    return m_state->uri();
}

void nbd_server::open(const nbd_export& what)
{
    m_state->open(what);
}

void nbd_server::make_read_only()
{
    m_state->make_read_only();
}

void nbd_server::drain()
{
    m_state->drain();
}

int nbd_server::signal() const
{
    return m_state->signal();
}

nbd_server_counts nbd_server::counts() const
{
    return m_state->counts();
}

} // namespace ssdvp::platform
