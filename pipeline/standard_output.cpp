// SPDX-License-Identifier: MIT
// Provides the checked standard output.
#include "pipeline/standard_output.hpp"

#include "data/output_file.hpp"

#include <iostream>
#include <utility>

namespace gannet::pipeline {
namespace {

constexpr size_t k_buffer_bytes = size_t{1} << 16;

}  // namespace

StandardOutput::StandardOutput() : before_(std::cout.rdbuf(this)) {
    std::cout.exceptions(std::ios::badbit);  // what the buffer throws leaves the stream as it is
}

StandardOutput::~StandardOutput() {
    std::cout.exceptions(std::ios::goodbit);
    std::cout.rdbuf(before_);
}

void StandardOutput::finish() {
    if (buffer_.empty()) return;
    const std::string text = std::exchange(buffer_, {});  // not again, should it fail
    data::OutputFile file("-");
    file.write(text);
    file.commit();
}

StandardOutput::int_type StandardOutput::overflow(int_type letter) {
    if (traits_type::eq_int_type(letter, traits_type::eof())) return traits_type::not_eof(letter);
    const char text = traits_type::to_char_type(letter);
    xsputn(&text, 1);
    return letter;
}

std::streamsize StandardOutput::xsputn(const char* text, std::streamsize size) {
    buffer_.append(text, static_cast<size_t>(size));
    if (buffer_.size() >= k_buffer_bytes) finish();
    return size;
}

int StandardOutput::sync() {
    finish();
    return 0;
}

}  // namespace gannet::pipeline
