// The values of Python that a document's code makes. Knows nothing of the code.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace attn::flow {

// A variable's tensor. In-place functions replace the node, and all names of the tensor see it.
struct Variable {
    std::size_t node;
    bool is_named = false;   // it was assigned to a variable
    bool is_shared = false;  // another tensor has the same memory
};

struct Object;

struct Value {
    enum class Kind {
        unknown,
        none,
        number,
        truth,
        text,
        list,
        dictionary,
        tensor,
        object,
        function,
        library
    };

    Kind kind = Kind::unknown;
    double number = 0.0;         // of numbers and truth values
    std::string text{};          // of texts; the dotted name of a library's function
    std::vector<Value> items{};  // of lists and tuples; of dictionaries: key, value, key, value, …; of
                                 // vmap(f): the arguments
    std::vector<std::string> names{};  // the keywords of these arguments
    std::shared_ptr<Variable> tensor{};
    std::shared_ptr<Object> object{};   // a module, or the one that a method belongs to
    std::size_t code = 0;               // of a function or class: its index among the definitions
    std::optional<std::size_t> node{};  // the tensor that a number was taken from
    std::string returned_by{};          // of a tensor: the function or class of the document that returned it

    bool is(Kind one) const { return kind == one; }
    bool is_number() const { return kind == Kind::number || kind == Kind::truth; }

    static Value of(double number, std::optional<std::size_t> node = {});
    static Value of(std::size_t number) { return of(static_cast<double>(number)); }
    static Value of(std::string text);  // unknown if it has more than 100,000 bytes
    static Value of(std::vector<Value> items);
    static Value dictionary(std::vector<Value> items = {});
    static Value truth(bool value);
    static Value none() { return {.kind = Kind::none}; }

    // a == b of numbers and texts.
    bool equals(const Value& other) const;
    // The item of a list or dictionary, or null.
    Value* item(const Value& index);
    // The item of a dictionary, which is added if there is none; of a list, one more at the end.
    Value& item_or_new(const Value& index);
    // The items, keys or values of a dictionary.
    Value listed(std::string_view method) const;
    // str() of texts and integers.
    std::optional<std::string> written() const;
    // The tensor that this is, or was taken from.
    std::optional<std::size_t> origin() const { return tensor != nullptr ? tensor->node : node; }
    // Adds the origins of this value and of all its items.
    void collect_origins(std::vector<std::size_t>& nodes) const;
    // How many values this is, with all items.
    std::size_t size() const;
};

struct Stream;

// A module, an object of a class of the document, or a generator.
struct Object {
    std::string type;
    std::optional<std::size_t> definition{};    // of a class of the document
    std::map<std::string, Value> attributes{};  // "" for the modules of a ModuleList
    std::size_t module = 0;                     // its index in Dataflow::modules
    bool is_training = true;
    std::shared_ptr<Stream> stream{};  // of torch.Generator() and np.random.RandomState()

    // The modules of a ModuleList; other objects have none.
    Value contents() const;
    // Adds a module to such an object, or replaces it.
    void put(const Value& index, const Value& part);
    // The modules among the attributes, in the order in which they were made.
    std::vector<Value> children() const;
};

}  // namespace attn::flow
