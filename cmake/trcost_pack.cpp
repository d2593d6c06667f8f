// SPDX-License-Identifier: Apache-2.0
// Parses the JSON files of a data folder at build time, as strictly as the library would, and
// writes them as one pack that the library reads in place: trcost_pack FOLDER LIST OUT DIGEST, with
// the files' paths within FOLDER in LIST, one to a line. Other files than JSON get an empty
// document. DIGEST becomes a header that differs whenever one byte of the files does.
#include <cstdint>
#include <cstdio>
#include <exception>
#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "json/flat_json.h"
#include "text/files.h"

namespace {

struct Folder {
  std::vector<trcost::FlatDocument> documents;
  std::uint64_t digest = 14695981039346656037U;  // FNV-1a
};

void add_to_digest(std::uint64_t& digest, const std::string& bytes) {
  for (const char c : bytes) digest = (digest ^ static_cast<unsigned char>(c)) * 1099511628211U;
}

Folder read_folder(const std::string& folder, const std::string& list) {
  Folder out;
  std::ifstream paths(list);
  for (std::string path; std::getline(paths, path);) {
    out.documents.emplace_back();
    const std::string file = folder + "/" + path;
    const std::string text = trcost::read_text_file(file);
    add_to_digest(out.digest, path + '\n' + text);
    if (path.ends_with(".json")) out.documents.back() = trcost::parse_flat_json(text, file);
  }
  return out;
}

void write(const char* path, const std::string& bytes) {
  std::ofstream out(path, std::ios::binary);
  out << bytes;
  out.close();
  if (!out) throw std::runtime_error(std::string("cannot write ") + path);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 5) {
    std::fputs("usage: trcost_pack FOLDER LIST OUT DIGEST\n", stderr);
    return 2;
  }
  try {
    const Folder folder = read_folder(argv[1], argv[2]);
    write(argv[3], trcost::pack_documents(folder.documents));
    write(argv[4], "static_assert(true, \"data " + std::to_string(folder.digest) + "\");\n");
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
