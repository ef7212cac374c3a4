// SPDX-License-Identifier: MIT
// Provides the mapping from exceptions to exit codes.
#include "pipeline/exit.hpp"

#include "data/error.hpp"
#include "kernels/backend.hpp"
#include "pipeline/log.hpp"

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <new>
#include <string_view>
#include <system_error>

namespace gannet::pipeline {
namespace {

int code(data::ErrorKind kind) { return static_cast<int>(kind); }

constexpr const char* k_no_thread =
    "no further thread could be started: give fewer --threads, or raise the limit of processes "
    "(ulimit -u) or of address space (ulimit -v)";

}  // namespace

Failure describe(std::exception_ptr error) noexcept {
    Failure failure;
    try {
        std::rethrow_exception(error);
    } catch (const data::Error& fault) {
        failure = {code(fault.kind()), fault.what()};
    } catch (const kernels::DeviceUnfit& fault) {
        failure = {code(data::ErrorKind::device_unfit), fault.what()};
    } catch (const kernels::DeviceOutOfMemory& fault) {
        failure = {code(data::ErrorKind::device_memory), fault.what()};
    } catch (const std::filesystem::filesystem_error& fault) {
        failure = {code(data::ErrorKind::malformed_input),
                   fault.path1().string() + ": cannot be examined: " + fault.code().message()};
    } catch (const std::system_error& fault) {
        const bool limit = fault.code() == std::errc::resource_unavailable_try_again;  // of std::thread
        failure = {code(limit ? data::ErrorKind::host_memory : data::ErrorKind::internal),
                   limit ? k_no_thread : std::string("internal fault: ") + fault.what()};
    } catch (const std::bad_alloc&) {
        failure = {code(data::ErrorKind::host_memory), "out of memory: give less to --memory or --threads"};
    } catch (const std::exception& fault) {
        // What a worker of oneTBB says that could not start the next one.
        if (std::string_view(fault.what()).starts_with("pthread_create has failed"))
            return {code(data::ErrorKind::host_memory), k_no_thread};
        failure = {code(data::ErrorKind::internal), std::string("internal fault: ") + fault.what()};
    } catch (...) {
        failure = {code(data::ErrorKind::internal), "internal fault of an unknown kind"};
    }
    return failure;
}

void end_process_at_once() noexcept {
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
    std::cout.flush();
    std::fflush(nullptr);
    std::quick_exit(0);
#endif
}

int report_failure(std::exception_ptr error) noexcept {
    const Failure failure = describe(error);
    log_error(failure.message);
    return failure.exit_code;
}

}  // namespace gannet::pipeline
