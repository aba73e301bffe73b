#include "text/file_kind.h"

#include <array>

namespace helve::text {
namespace {

using namespace std::string_view_literals;

struct Signature {
  std::string_view magic;
  FileKind kind;
  std::size_t offset = 0;
  std::string_view also = {};  // a second part, where the first alone says too little
  std::size_t also_offset = 0;
};

// In this order: a more special one stands before a more general one.
constexpr Signature kSignatures[] = {
    {"\x89PNG\r\n\x1A\n"sv, {"PNG image", "image/png", true}},
    {"\xFF\xD8\xFF"sv, {"JPEG image", "image/jpeg", true}},
    {"GIF87a"sv, {"GIF image", "image/gif", true}},
    {"GIF89a"sv, {"GIF image", "image/gif", true}},
    {"RIFF"sv, {"WebP image", "image/webp", true}, 0, "WEBP"sv, 8},
    {"RIFF"sv, {"WAV audio", "audio/wav"}, 0, "WAVE"sv, 8},
    {"RIFF"sv, {"AVI video", "video/x-msvideo"}, 0, "AVI "sv, 8},
    {"BM"sv, {"BMP image", "image/bmp", true}, 0, "\0\0\0\0"sv, 6},
    {"II*\0"sv, {"TIFF image", "image/tiff"}},
    {"MM\0*"sv, {"TIFF image", "image/tiff"}},
    {"\0\0\1\0"sv, {"icon", "image/x-icon"}},
    {"ftypavif"sv, {"AVIF image", "image/avif"}, 4},
    {"ftypheic"sv, {"HEIC image", "image/heic"}, 4},
    {"ftyp"sv, {"MP4 media", "video/mp4"}, 4},
    {"8BPS"sv, {"Photoshop image", "image/vnd.adobe.photoshop"}},
    {"%PDF-"sv, {"PDF document", "application/pdf"}},
    {"%!PS"sv, {"PostScript document", "application/postscript"}},
    {"\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1"sv, {"older Office document", "application/x-ole-storage"}},
    {"PK\3\4"sv, {"EPUB book", "application/epub+zip"}, 0, "mimetypeapplication/epub+zip"sv, 30},
    {"PK\3\4"sv,
     {"OpenDocument file", "application/vnd.oasis.opendocument"},
     0,
     "mimetypeapplication/vnd.oasis"sv,
     30},
    {"PK\3\4"sv, {"Office document", "application/vnd.openxmlformats"}, 0, "[Content_Types].xml"sv, 30},
    {"PK\3\4"sv, {"Java archive", "application/java-archive"}, 0, "META-INF/"sv, 30},
    {"PK\3\4"sv, {"ZIP archive", "application/zip"}},
    {"PK\5\6"sv, {"empty ZIP archive", "application/zip"}},
    {"\x1F\x8B"sv, {"gzip data", "application/gzip"}},
    {"BZh"sv, {"bzip2 data", "application/x-bzip2"}},
    {"\xFD"
     "7zXZ\0"sv,
     {"xz data", "application/x-xz"}},
    {"\x28\xB5\x2F\xFD"sv, {"Zstandard data", "application/zstd"}},
    {"\x04\x22\x4D\x18"sv, {"LZ4 data", "application/x-lz4"}},
    {"7z\xBC\xAF\x27\x1C"sv, {"7-Zip archive", "application/x-7z-compressed"}},
    {"Rar!\x1A\7"sv, {"RAR archive", "application/vnd.rar"}},
    {"ustar"sv, {"tar archive", "application/x-tar"}, 257},
    {"!<arch>\ndebian"sv, {"Debian package", "application/vnd.debian.binary-package"}},
    {"!<arch>\n"sv, {"static library", "application/x-archive"}},
    {"\x7F"
     "ELF"sv,
     {"ELF program or library", "application/x-elf"}},
    {"MZ"sv, {"Windows program", "application/vnd.microsoft.portable-executable"}, 0, "\0"sv, 3},
    {"\xCF\xFA\xED\xFE"sv, {"Mach-O program", "application/x-mach-binary"}},
    {"\xCA\xFE\xBA\xBE"sv, {"Java class or universal Mach-O program", "application/java-vm"}},
    {"\0asm"sv, {"WebAssembly module", "application/wasm"}},
    {"dex\n"sv, {"Android program", "application/vnd.android.dex"}},
    {"SQLite format 3\0"sv, {"SQLite database", "application/vnd.sqlite3"}},
    {"PAR1"sv, {"Parquet file", "application/vnd.apache.parquet"}},
    {"\x89HDF\r\n\x1A\n"sv, {"HDF5 file", "application/x-hdf5"}},
    {"\x93NUMPY"sv, {"NumPy array", "application/x-numpy"}},
    {"GGUF"sv, {"GGUF model", "application/x-gguf"}},
    {"OggS"sv, {"Ogg media", "application/ogg"}},
    {"fLaC"sv, {"FLAC audio", "audio/flac"}},
    {"ID3"sv, {"MP3 audio", "audio/mpeg"}},
    {"\x1A\x45\xDF\xA3"sv, {"Matroska or WebM video", "video/webm"}},
    {"wOFF"sv, {"web font", "font/woff"}},
    {"wOF2"sv, {"web font", "font/woff2"}},
    {"\0\1\0\0\0"sv, {"TrueType font", "font/ttf"}},
    {"OTTO"sv, {"OpenType font", "font/otf"}},
    {"DIRC\0\0\0"sv, {"git index", "application/x-git-index"}},
    {"PACK\0\0\0"sv, {"git pack", "application/x-git-pack"}},
};

// The possible first bytes of signatures at offset 0, to skip most text files quickly.
constexpr auto kFirstBytes = [] {
  std::array<bool, 256> first{};
  for (const Signature& signature : kSignatures)
    if (signature.offset == 0) first[static_cast<unsigned char>(signature.magic[0])] = true;
  return first;
}();

bool has_at(std::string_view bytes, std::size_t offset, std::string_view part) {
  return bytes.size() >= offset && bytes.substr(offset).starts_with(part);
}

}  // namespace

std::optional<FileKind> kind_of(std::string_view beginning) {
  const bool may_begin = !beginning.empty() && kFirstBytes[static_cast<unsigned char>(beginning[0])];
  for (const Signature& signature : kSignatures) {
    if (signature.offset == 0 && !may_begin) continue;
    if (has_at(beginning, signature.offset, signature.magic) &&
        has_at(beginning, signature.also_offset, signature.also))
      return signature.kind;
  }
  return std::nullopt;
}

}  // namespace helve::text
