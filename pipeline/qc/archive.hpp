// SPDX-License-Identifier: MIT
// Provides archives of one file. Internal to qc/.
#pragma once

#include <string>
#include <string_view>

namespace gannet::pipeline::qc {

/// A ZIP archive (PKWARE APPNOTE 6.3.9) that holds the folder `folder` and in it the file `name` of this
/// content, stored as it is. Below 4 GiB. The same bytes for the same arguments: the time is 1 January 1980.
std::string archive_of(std::string_view folder, std::string_view name, std::string_view content);

}  // namespace gannet::pipeline::qc
