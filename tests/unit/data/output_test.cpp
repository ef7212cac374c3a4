// SPDX-License-Identifier: MIT
// Tests outputs: partial names, replacing through links, devices, locks, and the pipe for CRAM.
#include "data/error.hpp"
#include "data/index_names.hpp"
#include "data/output_file.hpp"
#include "data/output_lock.hpp"
#include "data/output_pipe.hpp"
#include "data/unfinished.hpp"
#include "tests/support/temporary_folder.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <memory>
#include <set>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>
#include <vector>

namespace gannet::data {
namespace {

namespace fs = std::filesystem;
using tests::TemporaryFolder;

std::set<std::string> names_in(const std::string& folder) {
    std::set<std::string> names;
    for (const auto& entry : fs::directory_iterator(folder)) names.insert(entry.path().filename().string());
    return names;
}

std::string only_name_in(const std::string& folder) {
    const std::set<std::string> names = names_in(folder);
    return names.size() == 1 ? *names.begin() : std::to_string(names.size()) + " files";
}

template <class Action>
ErrorKind kind_thrown(Action action, std::string* message = nullptr) {
    try {
        action();
    } catch (const Error& error) {
        if (message != nullptr) *message = error.what();
        return error.kind();
    }
    ADD_FAILURE() << "nothing was thrown";
    return ErrorKind::internal;
}

struct Folder {
    TemporaryFolder temporary;
    std::string path = fs::canonical(temporary.path(".")).string();
    std::string operator/(const std::string& name) const { return path + "/" + name; }
};

TEST(OutputFile, appears_complete_when_committed) {
    const Folder folder;
    const std::string path = folder / "x.bam";
    OutputFile file(path);
    file.write(std::string_view("whole"));
    const std::string partial = only_name_in(folder.path);
    EXPECT_TRUE(is_partial_name_of(partial, "x.bam")) << partial;
    EXPECT_EQ(tests::read_file(folder / partial), "whole");
    file.commit();
    EXPECT_EQ(only_name_in(folder.path), "x.bam");
    EXPECT_EQ(tests::read_file(path), "whole");
}

TEST(OutputFile, leaves_nothing_without_commit) {
    const Folder folder;
    std::ofstream(folder / "x") << "old";
    {
        OutputFile file(folder / "x");
        file.write(std::string_view("new"));
    }
    EXPECT_EQ(only_name_in(folder.path), "x");
    EXPECT_EQ(tests::read_file(folder / "x"), "old");
}

TEST(OutputFile, two_at_once_do_not_meet) {
    const Folder folder;
    OutputFile one(folder / "x");
    OutputFile two(folder / "x");
    one.write(std::string_view("111"));
    two.write(std::string_view("2"));
    one.commit();
    EXPECT_EQ(tests::read_file(folder / "x"), "111");
    two.commit();
    EXPECT_EQ(tests::read_file(folder / "x"), "2");
    EXPECT_EQ(names_in(folder.path).size(), 1U);
}

TEST(OutputFile, mode_follows_the_umask) {
    const Folder folder;
    const mode_t before = umask(027);
    OutputFile(folder / "x").commit();
    umask(before);
    struct stat status {};
    ASSERT_EQ(stat((folder / "x").c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 0777, 0640U);
}

TEST(OutputFile, replaces_the_target_of_a_link) {
    const Folder folder;
    fs::create_directory(folder / "away");
    fs::create_symlink("away/target", folder / "one");
    fs::create_symlink(folder / "one", folder / "two");
    std::ofstream(folder / "away/target") << "old";
    OutputFile file(folder / "two");
    file.write(std::string_view("new"));
    EXPECT_EQ(names_in(folder / "away").size(), 2U) << "the partial file is not beside the target";
    file.commit();
    EXPECT_TRUE(fs::is_symlink(folder / "one") && fs::is_symlink(folder / "two"));
    EXPECT_EQ(tests::read_file(folder / "away/target"), "new");
    EXPECT_EQ(names_in(folder / "away").size(), 1U);
}

TEST(OutputFile, errors_have_the_kind_of_their_cause) {
    const Folder folder;
    std::string message;
    OutputFile full("/dev/full");
    EXPECT_EQ(kind_thrown([&] { full.write(std::string_view("x")); }, &message), ErrorKind::disk_space);
    EXPECT_EQ(message.find("/dev/full: cannot be written: No space left on device"), 0U) << message;
    EXPECT_EQ(kind_thrown([&] { OutputFile file(folder / "no/x"); }, &message), ErrorKind::output_failed);
    fs::create_symlink("circle", folder / "circle");
    EXPECT_EQ(kind_thrown([&] { OutputFile file(folder / "circle"); }), ErrorKind::output_failed);
    EXPECT_EQ(kind_thrown([] { PartialFile file("/dev/null"); }), ErrorKind::output_failed);
}

TEST(OutputPath, kinds_are_told_apart) {
    using Kind = OutputPath::Kind;
    const Folder folder;
    fs::create_symlink("/dev/stdout", folder / "link");
    ASSERT_EQ(mkfifo((folder / "pipe").c_str(), 0600), 0);
    EXPECT_EQ(resolve_output("-").descriptor, 1);
    EXPECT_EQ(resolve_output("/dev/stdout").descriptor, 1);
    EXPECT_EQ(resolve_output("/dev/fd/7").descriptor, 7);
    EXPECT_EQ(resolve_output("/proc/self/fd/12").descriptor, 12);
    EXPECT_EQ(resolve_output(folder / "link").descriptor, 1);
    EXPECT_EQ(resolve_output("/dev/null").kind, Kind::in_place);
    EXPECT_EQ(resolve_output("/proc/1/fd/1").kind, Kind::in_place);
    EXPECT_EQ(resolve_output(folder / "pipe").kind, Kind::in_place);
    EXPECT_EQ(resolve_output(folder / "new").kind, Kind::file);
    EXPECT_EQ(resolve_output(folder / "./new").path, folder / "new");
    EXPECT_EQ(resolve_output("/none/such/../x").path, "/none/such/../x");
}

TEST(IndexNames, are_those_of_samtools_and_of_picard) {
    const auto names = [](const std::string& file) {
        const std::vector<std::string> all = index_names_of(file);
        return std::set<std::string>(all.begin(), all.end());
    };
    EXPECT_EQ(names("a/x.bam"), (std::set<std::string>{"a/x.bam.bai", "a/x.bam.csi", "a/x.bam.crai",
                                                       "a/x.bam.tbi", "a/x.bai", "a/x.csi"}));
    EXPECT_TRUE(names("x.cram").contains("x.crai"));
    EXPECT_EQ(names("x.vcf.gz").size(), 4u);
    for (const std::string& name : names("x.vcf.gz")) EXPECT_EQ(without_index_ending(name), "x.vcf.gz");
    for (const std::string path : {"x.bam", ".bai", "x.bai.gz", ""})
        EXPECT_EQ(without_index_ending(path), path);
}

TEST(PartialFile, old_indexes_go_with_the_file_that_they_are_of) {
    const Folder folder;
    for (const char* name : {"x.bam", "x.bam.bai", "x.bam.csi", "x.bai", "x.csi", "y.bai", "x.bam.bed"}) {
        std::ofstream(folder / name) << "old";
    }
    OutputFile file(folder / "x.bam");
    PartialFile index(folder / "x.bam.bai");
    ASSERT_EQ(write(index.descriptor(), "new", 3), 3);
    file.commit(&index);
    EXPECT_EQ(names_in(folder.path), (std::set<std::string>{"x.bam", "x.bam.bai", "y.bai", "x.bam.bed"}));
    EXPECT_EQ(tests::read_file(folder / "x.bam.bai"), "new");
}

TEST(PartialFile, is_reached_by_its_name_to_open_only) {
    const Folder folder;
    std::ofstream(folder / "victim") << "precious";
    PartialFile file(folder / "x");
    for (const std::string& name : names_in(folder.path)) {
        if (name == "victim") continue;
        fs::remove(folder / name);
        fs::create_symlink("victim", folder / name);  // what an attacker might do
    }
    std::ofstream(file.name_to_open()) << "mine";
    EXPECT_EQ(tests::read_file(folder / "victim"), "precious");
    EXPECT_EQ(tests::read_file(file.name_to_open()), "mine");
}

TEST(PartialFile, names_of_others_are_not_taken_for_its_own) {
    EXPECT_TRUE(is_partial_name_of("x.partial.0123456789ab", "x"));
    for (const char* name : {"x.partial", "x.partial.", "x.partial.0123456789a", "x.partial.0123456789abc",
                             "x.partial.0123456789aB", "xy.partial.0123456789ab", "y.partial.0123456789ab",
                             "x.0123456789ab", ""}) {
        EXPECT_FALSE(is_partial_name_of(name, "x")) << name;
    }
}

TEST(OutputLock, refuses_a_second_holder_and_names_the_first) {
    const Folder folder;
    std::string message;
    {
        const OutputLock lock(folder / "x");
        EXPECT_EQ(only_name_in(folder.path), ".x.lock");
        EXPECT_EQ(kind_thrown([&] { OutputLock second(folder / "x"); }, &message), ErrorKind::output_failed);
        EXPECT_NE(message.find("is being written by"), std::string::npos) << message;
        EXPECT_NE(message.find("pid " + std::to_string(getpid())), std::string::npos) << message;
        const OutputLock other(folder / "y");
    }
    EXPECT_TRUE(names_in(folder.path).empty());
    const OutputLock again(folder / "x");
}

TEST(OutputLock, one_waits_for_the_other_when_told) {
    const Folder folder;
    auto first = std::make_unique<OutputLock>(folder / "x");
    std::string holder;
    std::thread ender;
    const OutputLock second(folder / "x", [&](const std::string& text) {
        holder = text;
        ender = std::thread([&first] { first.reset(); });
    });
    ender.join();
    EXPECT_TRUE(second.waited());
    EXPECT_NE(holder.find("pid "), std::string::npos);
    EXPECT_EQ(only_name_in(folder.path), ".x.lock");
    EXPECT_EQ(kind_thrown([&] { OutputLock third(folder / "x"); }), ErrorKind::output_failed);
}

TEST(OutputLock, many_threads_hold_it_one_at_a_time) {
    const Folder folder;
    std::atomic<int> holders{0};
    std::atomic<int> failures{0};
    std::vector<std::thread> threads;
    for (int i = 0; i < 8; ++i) {
        threads.emplace_back([&] {
            for (int turn = 0; turn < 50; ++turn) {
                const OutputLock lock(folder / "x", [](const std::string&) {});
                if (++holders != 1) ++failures;
                --holders;
            }
        });
    }
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(failures, 0);
    EXPECT_TRUE(names_in(folder.path).empty());
}

TEST(OutputLock, takes_over_a_lock_file_that_nobody_holds) {
    const Folder folder;
    std::ofstream(folder / ".x.lock") << "gannet lock\ngannet run (pid 1)\n";
    { const OutputLock lock(folder / "x"); }
    EXPECT_TRUE(names_in(folder.path).empty());
    std::ofstream(folder / ".x.lock") << "another program's";
    EXPECT_EQ(kind_thrown([&] { OutputLock lock(folder / "x"); }), ErrorKind::output_failed);
    EXPECT_EQ(tests::read_file(folder / ".x.lock"), "another program's");
    fs::remove(folder / ".x.lock");
    fs::create_symlink("victim", folder / ".x.lock");
    EXPECT_EQ(kind_thrown([&] { OutputLock lock(folder / "x"); }), ErrorKind::output_failed);
    EXPECT_FALSE(fs::exists(folder / "victim"));
}

TEST(OutputLock, removes_leftovers_of_its_own_outputs) {
    const Folder folder;
    for (const char* name : {"x.partial.0123456789ab", "x.partial.backup", "y.partial.0123456789ab"}) {
        std::ofstream(folder / name) << "?";
    }
    const OutputLock lock(folder / "x");
    EXPECT_EQ(lock.remove_leftovers(folder / "x"),
              std::vector<std::string>{folder / "x.partial.0123456789ab"});
    EXPECT_EQ(names_in(folder.path),
              (std::set<std::string>{".x.lock", "x.partial.backup", "y.partial.0123456789ab"}));
}

TEST(OutputPipe, copies_what_is_written) {
    const Folder folder;
    OutputFile file(folder / "x");
    OutputPipe pipe(file);
    const std::string text(1'000'000, 'x');
    const int end = pipe.take_writing_end();
    for (size_t at = 0; at < text.size();) {
        const ssize_t size = write(end, text.data() + at, text.size() - at);
        ASSERT_GT(size, 0);
        at += static_cast<size_t>(size);
    }
    close(end);
    pipe.finish();
    file.commit();
    EXPECT_EQ(tests::read_file(folder / "x"), text);
}

TEST(OutputPipe, a_failed_write_is_reported_and_the_rest_is_dropped) {
    OutputFile file("/dev/full");
    OutputPipe pipe(file);
    const std::string text(1'000'000, 'x');
    const int end = pipe.take_writing_end();
    for (size_t at = 0; at < text.size();) {
        const ssize_t size = write(end, text.data() + at, text.size() - at);
        ASSERT_GT(size, 0);
        at += static_cast<size_t>(size);
    }
    close(end);
    EXPECT_EQ(kind_thrown([&] { pipe.finish(); }), ErrorKind::disk_space);
}

TEST(OutputPipe, its_end_does_not_wait_for_a_writing_end_that_stays_open) {
    const Folder folder;
    int end = -1;
    {
        OutputFile file(folder / "x");
        OutputPipe pipe(file);
        end = pipe.take_writing_end();
        ASSERT_EQ(write(end, "x", 1), 1);
    }
    close(end);
    EXPECT_TRUE(names_in(folder.path).empty());
}

TEST(UnfinishedDeathTest, all_are_removed_and_no_more_are_made) {
    const Folder folder;
    const auto end = [&folder] {
        const OutputLock lock(folder / "x");
        PartialFile one(folder / "x");
        OutputFile two(folder / "y");
        fs::create_directories(folder / "temporary/deep");
        {
            const auto guard = lock_unfinished();
            add_unfinished(folder / "temporary");
        }
        remove_unfinished_for_ever();
        std::thread([&] { one.commit(); }).detach();  // waits for ever
        std::thread([&] { PartialFile three(folder / "z"); }).detach();
        usleep(50'000);
        std::_Exit(7);
    };
    EXPECT_EXIT(end(), testing::ExitedWithCode(7), "");
    EXPECT_TRUE(names_in(folder.path).empty());
}

}  // namespace
}  // namespace gannet::data
