#include <vector>
using namespace std;
namespace app::core {
// A class.
class EXPORT_API DB : public Base<int, char>, private virtual Other {
 public:
  DB();
  explicit DB(int x) noexcept;
  virtual ~DB() = default;
  DB& operator=(const DB&) = delete;
  [[nodiscard]] int size() const { return size_; }
  template <class T> T get(const std::string& key, T fallback = {}) const;
  static constexpr int kMax = 5;
  operator bool() const;
 private:
  int size_ GUARDED_BY(mu_) = 0;
  std::vector<int> v_, w_;
};
LEVELDB_EXPORT Status DestroyDB(const std::string& name, const Options& options);
template <typename T>
auto DB::get(const std::string& key, T fallback) const -> T { return fallback; }
DB::DB() : size_(0) {}
DB::~DB() {}
int* find(int a) { auto f = [](int x) { return x && 1; }; return nullptr; }
enum class Kind : int { kA, kB };
using Alias = std::vector<int>;
int global = 3;
}
template <> struct hash<app::core::DB> { int operator()(int) const { return 1; } };
FMT_BEGIN_NAMESPACE
FMT_API void f(int x);
FMT_CONSTEXPR auto g(int) -> int;
FMT_END_NAMESPACE
TEST(Foo, Bar) { int x; }
template <class T> concept C = true;
