// SPDX-License-Identifier: Apache-2.0
// ELF for x86-64: System V Application Binary Interface, AMD64 Architecture Processor Supplement, chapter 4.
//
// The memory of an object holds its code, a jump for every symbol, then from a new page on its constants and the
// address of every symbol. The jumps are for routines further away than a call reaches.
#include "jit/kept/object_code.h"

#include <elf.h>
#include <sys/mman.h>
#include <unistd.h>

#include <bit>
#include <cstdint>
#include <cstring>
#include <optional>
#include <vector>

namespace mbc::jit {
namespace {

#if defined(__x86_64__) && defined(__linux__)
constexpr bool kKnown = true;
#else
constexpr bool kKnown = false;
#endif

constexpr std::uint64_t kMost = 1ull << 30;  // of memory, so that every place in it reaches every other
constexpr std::uint64_t kJump = 8;           // bytes: jmp *address(%rip), filled up
constexpr std::uint32_t kUnwind = 0x70000001;

struct Section {
  Elf64_Shdr header{};
  std::optional<std::uint64_t> place{};  // in the memory, if the section is loaded
};

struct Symbol {
  Elf64_Sym entry{};
  std::string name{};
  std::uint64_t address = 0;  // 0 for an undefined one
};

std::uint64_t rounded_up(std::uint64_t value, std::uint64_t to) { return (value + to - 1) / to * to; }

class Loading {
 public:
  Loading(std::string_view bytes, const ObjectCode::Outside& outside) : bytes_(bytes), outside_(outside) {}

  bool read() { return read_sections() && read_symbols() && lay_out(); }
  [[nodiscard]] std::size_t size() const { return size_; }
  // Fills memory of that size, which has to be writable.
  bool fill(char* memory);
  // Makes the code executable and all of the memory read-only.
  [[nodiscard]] bool protect(char* memory) const {
    return mprotect(memory, constants_at_, PROT_READ | PROT_EXEC) == 0 &&
           mprotect(memory + constants_at_, size_ - constants_at_, PROT_READ) == 0;
  }
  [[nodiscard]] std::map<std::string, void*> functions() const;

 private:
  [[nodiscard]] bool inside(std::uint64_t offset, std::uint64_t size) const {
    return offset <= bytes_.size() && size <= bytes_.size() - offset;
  }
  template <typename T>
  bool get(std::uint64_t offset, T& out) const {
    if (!inside(offset, sizeof out)) return false;
    std::memcpy(&out, bytes_.data() + offset, sizeof out);
    return true;
  }

  bool read_sections();
  [[nodiscard]] bool understood(const Elf64_Shdr& section) const;
  bool read_symbols();
  bool read_name(const Elf64_Shdr& names, Symbol& symbol) const;
  bool lay_out();
  bool place_sections(bool code);
  bool find_address(Symbol& symbol) const;
  void write_addresses();
  bool relocate(const Elf64_Shdr& list);
  bool relocate(const Elf64_Rela& how, const Section& target);
  // Writes the distance from `at` to the address, if 32 bits hold it.
  static bool put_near(char* at, std::uint64_t address);

  [[nodiscard]] std::uint64_t address_of(std::uint64_t place) const {
    return reinterpret_cast<std::uintptr_t>(memory_) + place;
  }
  [[nodiscard]] std::uint64_t jump_of(std::size_t symbol) const { return jumps_at_ + kJump * symbol; }
  [[nodiscard]] std::uint64_t slot_of(std::size_t symbol) const { return slots_at_ + 8 * symbol; }

  std::string_view bytes_;
  const ObjectCode::Outside& outside_;
  std::vector<Section> sections_;
  std::vector<Symbol> symbols_;
  std::uint64_t jumps_at_ = 0, constants_at_ = 0, slots_at_ = 0, size_ = 0;  // places in the memory
  char* memory_ = nullptr;
};

bool Loading::understood(const Elf64_Shdr& section) const {
  if ((section.sh_flags & SHF_ALLOC) == 0) return true;
  if ((section.sh_flags & (SHF_WRITE | SHF_TLS | SHF_COMPRESSED)) != 0) return false;
  if (section.sh_type != SHT_PROGBITS && section.sh_type != SHT_NOTE && section.sh_type != kUnwind) return false;
  return inside(section.sh_offset, section.sh_size) && section.sh_addralign <= 4096 &&
         (section.sh_addralign == 0 || std::has_single_bit(section.sh_addralign));
}

bool Loading::read_sections() {
  Elf64_Ehdr header{};
  if (!get(0, header) || std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0) return false;
  if (header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_ident[EI_DATA] != ELFDATA2LSB) return false;
  if (header.e_type != ET_REL || header.e_machine != EM_X86_64 || header.e_shentsize != sizeof(Elf64_Shdr))
    return false;
  if (!inside(header.e_shoff, std::uint64_t{header.e_shnum} * sizeof(Elf64_Shdr))) return false;
  sections_.resize(header.e_shnum);
  for (std::size_t k = 0; k < sections_.size(); ++k)
    if (!get(header.e_shoff + k * sizeof(Elf64_Shdr), sections_[k].header) || !understood(sections_[k].header))
      return false;
  return true;
}

bool Loading::read_name(const Elf64_Shdr& names, Symbol& symbol) const {
  if (symbol.entry.st_name >= names.sh_size) return false;
  const std::string_view rest =
      bytes_.substr(names.sh_offset + symbol.entry.st_name, names.sh_size - symbol.entry.st_name);
  const std::size_t end = rest.find('\0');
  if (end == std::string_view::npos) return false;
  symbol.name = rest.substr(0, end);
  return true;
}

bool Loading::read_symbols() {
  for (const Section& s : sections_) {
    const Elf64_Shdr& table = s.header;
    if (table.sh_type != SHT_SYMTAB) continue;
    if (!symbols_.empty() || table.sh_entsize != sizeof(Elf64_Sym) || table.sh_link >= sections_.size()) return false;
    const Elf64_Shdr& names = sections_[table.sh_link].header;
    if (!inside(table.sh_offset, table.sh_size) || !inside(names.sh_offset, names.sh_size)) return false;
    symbols_.resize(table.sh_size / sizeof(Elf64_Sym));
    for (std::size_t k = 0; k < symbols_.size(); ++k)
      if (!get(table.sh_offset + k * sizeof(Elf64_Sym), symbols_[k].entry) || !read_name(names, symbols_[k]))
        return false;
  }
  return true;
}

bool Loading::place_sections(bool code) {
  for (Section& s : sections_) {
    if ((s.header.sh_flags & SHF_ALLOC) == 0 || ((s.header.sh_flags & SHF_EXECINSTR) != 0) != code) continue;
    s.place = rounded_up(size_, std::max<std::uint64_t>(1, s.header.sh_addralign));
    size_ = *s.place + s.header.sh_size;
    if (size_ > kMost) return false;
  }
  return true;
}

bool Loading::lay_out() {
  if (!place_sections(true)) return false;
  jumps_at_ = rounded_up(size_, kJump);
  size_ = constants_at_ = rounded_up(jump_of(symbols_.size()), static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE)));
  if (!place_sections(false)) return false;
  slots_at_ = rounded_up(size_, 8);
  size_ = slot_of(symbols_.size() + 1);
  return size_ <= kMost;
}

// Symbols of sections that are not loaded have no address, and nothing that is loaded may need it.
bool Loading::find_address(Symbol& symbol) const {
  const unsigned kind = ELF64_ST_TYPE(symbol.entry.st_info), section = symbol.entry.st_shndx;
  if (kind == STT_TLS || kind == STT_GNU_IFUNC) return false;
  if (kind == STT_FILE || &symbol == symbols_.data()) return true;
  if (section == SHN_UNDEF) {
    symbol.address = reinterpret_cast<std::uintptr_t>(outside_(symbol.name));
    return symbol.address != 0;
  }
  if (section >= sections_.size()) return false;
  const Section& s = sections_[section];
  if (s.place && symbol.entry.st_value > s.header.sh_size) return false;
  if (s.place) symbol.address = address_of(*s.place) + symbol.entry.st_value;
  return true;
}

void Loading::write_addresses() {
  for (std::size_t k = 0; k < symbols_.size(); ++k) {
    std::memcpy(memory_ + slot_of(k), &symbols_[k].address, 8);
    char* const jump = memory_ + jump_of(k);
    const auto distance = static_cast<std::uint32_t>(slot_of(k) - jump_of(k) - 6);
    std::memcpy(jump, "\xff\x25", 2);  // jmp *distance(%rip)
    std::memcpy(jump + 2, &distance, 4);
    std::memcpy(jump + 6, "\xcc\xcc", 2);
  }
}

bool Loading::put_near(char* at, std::uint64_t address) {
  const auto distance = static_cast<std::int64_t>(address - reinterpret_cast<std::uintptr_t>(at));
  if (distance != static_cast<std::int32_t>(distance)) return false;
  const auto word = static_cast<std::int32_t>(distance);
  std::memcpy(at, &word, sizeof word);
  return true;
}

bool Loading::relocate(const Elf64_Rela& how, const Section& target) {
  const std::uint64_t type = ELF64_R_TYPE(how.r_info), size = type == R_X86_64_64 || type == R_X86_64_PC64 ? 8 : 4;
  const std::size_t index = ELF64_R_SYM(how.r_info);
  if (index >= symbols_.size() || symbols_[index].address == 0) return false;
  if (how.r_offset > target.header.sh_size || target.header.sh_size - how.r_offset < size) return false;
  char* const at = memory_ + *target.place + how.r_offset;
  const std::uint64_t beyond = static_cast<std::uint64_t>(how.r_addend), address = symbols_[index].address + beyond;
  const std::uint64_t whole = type == R_X86_64_64 ? address : address - reinterpret_cast<std::uintptr_t>(at);
  switch (type) {
    case R_X86_64_64:
    case R_X86_64_PC64:
      std::memcpy(at, &whole, sizeof whole);
      return true;
    case R_X86_64_PC32:
      return put_near(at, address);
    case R_X86_64_PLT32:
      return put_near(at, address) || put_near(at, address_of(jump_of(index)) + beyond);
    case R_X86_64_GOTPCREL:
    case R_X86_64_GOTPCRELX:
    case R_X86_64_REX_GOTPCRELX:
      return put_near(at, address_of(slot_of(index)) + beyond);
    default:
      return false;
  }
}

bool Loading::relocate(const Elf64_Shdr& list) {
  if (list.sh_type != SHT_RELA && list.sh_type != SHT_REL) return true;
  if (list.sh_info >= sections_.size()) return false;
  const Section& target = sections_[list.sh_info];
  if (!target.place) return true;
  if (list.sh_type != SHT_RELA || list.sh_entsize != sizeof(Elf64_Rela)) return false;
  for (std::uint64_t at = 0; at + sizeof(Elf64_Rela) <= list.sh_size; at += sizeof(Elf64_Rela)) {
    Elf64_Rela how{};
    if (!get(list.sh_offset + at, how) || !relocate(how, target)) return false;
  }
  return true;
}

bool Loading::fill(char* memory) {
  memory_ = memory;
  for (const Section& s : sections_)
    if (s.place && s.header.sh_size > 0)
      std::memcpy(memory + *s.place, bytes_.data() + s.header.sh_offset, s.header.sh_size);
  for (Symbol& symbol : symbols_)
    if (!find_address(symbol)) return false;
  write_addresses();
  for (const Section& s : sections_)
    if (!relocate(s.header)) return false;
  return true;
}

std::map<std::string, void*> Loading::functions() const {
  std::map<std::string, void*> out;
  for (const Symbol& s : symbols_) {
    const bool shown = ELF64_ST_BIND(s.entry.st_info) == STB_GLOBAL && ELF64_ST_TYPE(s.entry.st_info) == STT_FUNC;
    if (!shown || s.entry.st_shndx == SHN_UNDEF || s.address == 0) continue;
    if ((sections_[s.entry.st_shndx].header.sh_flags & SHF_EXECINSTR) == 0) continue;
    out[s.name] = reinterpret_cast<void*>(static_cast<std::uintptr_t>(s.address));
  }
  return out;
}

}  // namespace

std::unique_ptr<ObjectCode> ObjectCode::load(std::string_view object, const Outside& outside) {
  Loading loading(object, outside);
  if (!kKnown || !loading.read()) return nullptr;
  void* const memory = mmap(nullptr, loading.size(), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return nullptr;
  std::unique_ptr<ObjectCode> out(new ObjectCode);
  out->memory_ = memory;
  out->size_ = loading.size();
  auto* const bytes = static_cast<char*>(memory);
  if (!loading.fill(bytes) || !loading.protect(bytes)) return nullptr;
  out->functions_ = loading.functions();
  return out;
}

ObjectCode::~ObjectCode() {
  if (memory_ != nullptr) munmap(memory_, size_);
}

void* ObjectCode::function(const std::string& name) const {
  const auto found = functions_.find(name);
  return found != functions_.end() ? found->second : nullptr;
}

}  // namespace mbc::jit
