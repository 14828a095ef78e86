#include <vector>
using std::vector;

namespace store::detail {

/// Keeps things.
template <typename T, int N = 3>
class Store final : public Base<T>, private ns::Other {
public:
    explicit Store(int size) : size_(size), Base<T>(size) {}
    Store(const Store &) = delete;
    Store(Store &&other);
    virtual ~Store() = default;

    // Finds one.
    [[nodiscard]] const T *find(const std::string &key) const noexcept override;
    virtual void clear() = 0;
    static Store make() { return Store{3}; }
    bool operator==(const Store &other) const { return compare<T>(*this, other); }
    operator bool() const { return this->size_ > 0; }
    template <class U> U &get(int index);
    T &at(int i) { return items_.template at<int>(i); }

    using Items = vector<T>;
    enum class Color : int { Red, Green };
    struct Node { Node *next; int depth = 0; };

private:
    int size_ = 0, other_;
    static constexpr int limit = 10;
    Items &items_;
    void (*callback_)(int);
    friend class Helper;
};

template <typename T, int N>
const T *Store<T, N>::find(const std::string &key) const noexcept {
    auto found = std::find_if(begin(), end(), [&](const T &item) { return item.key() == key; });
    Node node(1);
    ns::Cursor<T> cursor{2};
    auto *fresh = new ns::Node(3);
    return impl::deep::lookup<T>(fresh);
}

constexpr int kLimit = 10;
inline auto square = [](int x) { return x * x; };

template <typename T>
concept Sized = requires(T t) { t.size(); };

}  // namespace store::detail

namespace {
int hidden = 1;
void helper();
}

store::Store::Store(Store &&other) : size_(0) { reset(); }
store::Store::~Store() {}
int &store::value() { return hidden; }
Store::operator int() const { return 1; }
bool operator<(const A &a, const B &b) { return a.key < b.key; }
template <> struct hash<Key> : base_hash { size_t operator()(const Key &k) const; };

extern "C" {
void exported(int x) { (*table)(x); }
}

struct Derived : Store<int>, virtual Other {};
typedef struct { int q; } Legacy;
union Bits { int i; float f; };

using namespace store::detail;
using store::Shape;

class Bound : public Base {
  Client *client_;
  std::unique_ptr<ns::Gateway> gateway_;
  std::vector<Client> many_;
  Client make(const Client &given, Shape *shape);
};

Client Bound::make(const Client &given, Shape *shape) {
  auto local = new ns::Line();
  Shape *typed = shape;
  client_ = new Client(given);
  this->client_ = new Client(given);
  return *client_;
}
