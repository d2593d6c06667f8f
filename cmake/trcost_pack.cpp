// SPDX-License-Identifier: Apache-2.0
// Parses the JSON files of a data folder at build time, as strictly as the library would, and writes
// them as one pack that the library reads in place: trcost_pack FOLDER LIST OUT, with the files'
// paths within FOLDER in LIST, one to a line. Other files than JSON get an empty document.
#include <cstdio>
#include <exception>
#include <fstream>
#include <string>

#include "catalog/packed_data.h"
#include "text/files.h"

namespace {

std::string pack_folder(const std::string& folder, const std::string& list) {
  std::vector<trcost::FlatDocument> documents;
  std::ifstream paths(list);
  for (std::string path; std::getline(paths, path);) {
    documents.emplace_back();
    if (!path.ends_with(".json")) continue;
    const std::string file = folder + "/" + path;
    documents.back() = trcost::parse_flat_json(trcost::read_text_file(file), file);
  }
  return trcost::pack_documents(documents);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) {
    std::fputs("usage: trcost_pack FOLDER LIST OUT\n", stderr);
    return 2;
  }
  try {
    const std::string pack = pack_folder(argv[1], argv[2]);
    std::ofstream out(argv[3], std::ios::binary);
    out << pack;
    out.close();
    if (!out) throw std::runtime_error(std::string("cannot write ") + argv[3]);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
