// The operations of Tidemark's benchmarks with nlohmann/json. scripts/bench compiles it to a library, which the benchmark loads
// into its process, so that both run alternately in the same memory.
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

using json = nlohmann::json;

namespace {

struct Work {
    std::string operation;
    std::string text, second, third;
    std::vector<json> base, client, server, patches;
};

std::vector<json> lines(std::string_view text) {
    std::vector<json> records;
    while (!text.empty()) {
        const size_t end = text.find('\n');
        const auto line = text.substr(0, end);
        if (!line.empty()) records.push_back(json::parse(line));
        text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
    }
    return records;
}

size_t run(const Work &work) {
    if (work.operation == "parse") return json::parse(work.text).size();
    // What the tool does with files: base and client or patch, and the server's version.
    if (work.operation == "tool-check") return json::parse(work.text).size();
    if (work.operation == "tool-apply" || work.operation == "tool-merge") {
        const bool merges = work.operation == "tool-merge";
        json document = json::parse(merges ? work.third : work.text);
        document.patch_inplace(
            merges ? json::diff(json::parse(work.text), json::parse(work.second)) : json::parse(work.second));
        return document.dump().size();
    }
    size_t sum = 0;
    for (size_t i = 0; i < work.base.size(); ++i) {
        if (work.operation == "diff") {
            sum += json::diff(work.base[i], work.client[i]).size();
        } else if (work.operation == "apply") {
            sum += work.base[i].patch(work.patches[i]).size();
        } else {
            // There is no three-way merge: what both changed, and the client's patch on top of the server's record.
            const json theirs = json::diff(work.base[i], work.server[i]);
            sum += theirs.size() + work.server[i].patch(json::diff(work.base[i], work.client[i])).size();
        }
    }
    return sum;
}

}  // namespace

extern "C" {

void *peer_prepare(const char *operation, const uint8_t *one, size_t one_size, const uint8_t *two, size_t two_size,
                   const uint8_t *three, size_t three_size) {
    const auto view = [](const uint8_t *bytes, size_t size) {
        return std::string_view(reinterpret_cast<const char *>(bytes), size);
    };
    auto *work = new Work{operation, {}, {}, {}, {}, {}, {}, {}};
    try {
        if (work->operation == "parse" || work->operation.rfind("tool-", 0) == 0) {
            work->text = view(one, one_size);
            work->second = view(two, two_size);
            work->third = view(three, three_size);
        } else {
            work->base = lines(view(one, one_size));
            work->client = lines(view(two, two_size));
            work->server = lines(view(three, three_size));
            for (size_t i = 0; i < work->base.size(); ++i) {
                work->patches.push_back(json::diff(work->base[i], work->client[i]));
            }
        }
        run(*work);
        return work;
    } catch (const std::exception &) {
        delete work;
        return nullptr;
    }
}

size_t peer_run(void *work) { return run(*static_cast<Work *>(work)); }

size_t peer_free(void *work) {
    delete static_cast<Work *>(work);
    return 0;
}
}
