// The smallest useful shim: `capabilities` and three operations, in C with libsodium (Specs/conformance.md).
//
//     cc -O2 -o minimal Tests/Rigs/shims/minimal.c -lsodium && inkling-kit conform -- ./minimal

#include <sodium.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { LONGEST_LINE = 1048576, LONGEST_ID = 64, DEPTH = 64, MEMBERS = 16 };

// ── JSON ──────────────────────────────────────────────────────────────────────────────────────────────────────────

typedef enum { OBJECT, LIST, TEXT, NUMBER, OTHER } kind;

// A value: its place in the line and, for a text, its bytes without escapes.
typedef struct { kind kind; const char *start, *end; const char *text; size_t length; } value;
typedef struct { size_t count; value names[MEMBERS], values[MEMBERS]; bool overflow; } object;

static char line[LONGEST_LINE + 2], texts[2 * LONGEST_LINE];
static const char *at, *end;
static size_t texts_used;

static void skip_space(void) {
    while (at < end && (*at == ' ' || *at == '\t' || *at == '\n' || *at == '\r')) at++;
}

static bool take(char wanted) {
    skip_space();
    return at < end && *at == wanted ? (at++, true) : false;
}

static bool hex4(uint32_t *unit) {
    *unit = 0;
    for (int digit = 0; digit < 4; digit++, at++) {
        if (at >= end) return false;
        char c = *at;
        uint32_t digit_value = c >= '0' && c <= '9' ? c - '0' : (c | 32) >= 'a' && (c | 32) <= 'f' ? (c | 32) - 'a' + 10 : 16;
        if (digit_value > 15) return false;
        *unit = *unit << 4 | digit_value;
    }
    return true;
}

static void put(uint32_t scalar) {
    char *out = texts + texts_used;
    if (scalar < 0x80) { out[0] = (char)scalar; texts_used += 1; return; }
    if (scalar < 0x800) { out[0] = (char)(0xc0 | scalar >> 6); out[1] = (char)(0x80 | (scalar & 63)); texts_used += 2; return; }
    if (scalar < 0x10000) {
        out[0] = (char)(0xe0 | scalar >> 12); out[1] = (char)(0x80 | (scalar >> 6 & 63)); out[2] = (char)(0x80 | (scalar & 63));
        texts_used += 3; return;
    }
    out[0] = (char)(0xf0 | scalar >> 18); out[1] = (char)(0x80 | (scalar >> 12 & 63));
    out[2] = (char)(0x80 | (scalar >> 6 & 63)); out[3] = (char)(0x80 | (scalar & 63));
    texts_used += 4;
}

static bool escape(void) {
    if (at >= end) return false;
    static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
    char c = *at++;
    if (c == 'u') {
        uint32_t unit, low;
        if (!hex4(&unit) || (unit >= 0xdc00 && unit <= 0xdfff)) return false;
        if (unit < 0xd800 || unit > 0xdfff) { put(unit); return true; }
        if (end - at < 2 || at[0] != '\\' || at[1] != 'u') return false;
        at += 2;
        if (!hex4(&low) || low < 0xdc00 || low > 0xdfff) return false;
        put(0x10000 + ((unit - 0xd800) << 10) + (low - 0xdc00));
        return true;
    }
    const char *found = c ? strchr(from, c) : NULL;
    if (!found) return false;
    put((unsigned char)to[found - from]);
    return true;
}

// Parses a character of several bytes, in its shortest form and not a surrogate.
static bool sequence(unsigned char first) {
    int rest = first >= 0xf0 ? 3 : first >= 0xe0 ? 2 : 1;
    uint32_t scalar = first & (0x3f >> rest);
    static const uint32_t least[] = {0, 0x80, 0x800, 0x10000};
    if (first < 0xc2 || first > 0xf4) return false;
    for (int count = 0; count < rest; count++) {
        if (at >= end || ((unsigned char)*at & 0xc0) != 0x80) return false;
        scalar = scalar << 6 | ((unsigned char)*at++ & 0x3f);
    }
    if (scalar < least[rest] || scalar > 0x10ffff || (scalar >= 0xd800 && scalar <= 0xdfff)) return false;
    put(scalar);
    return true;
}

static bool text(value *found) {
    found->kind = TEXT;
    found->text = texts + texts_used;
    size_t before = texts_used;
    for (at++; at < end;) {
        unsigned char c = (unsigned char)*at++;
        if (c == '"') { found->length = texts_used - before; return true; }
        if (c < 0x20) return false;
        if (c == '\\' ? !escape() : c < 0x80 ? (put(c), false) : !sequence(c)) return false;
    }
    return false;
}

static bool digits(void) {
    const char *first = at;
    while (at < end && *at >= '0' && *at <= '9') at++;
    return at > first;
}

static bool number(value *found) {
    found->kind = NUMBER;
    if (at < end && *at == '-') at++;
    if (at < end && *at == '0') at++;
    else if (!digits()) return false;
    if (at < end && *at == '.') { at++; if (!digits()) return false; }
    if (at < end && (*at == 'e' || *at == 'E')) {
        at++;
        if (at < end && (*at == '+' || *at == '-')) at++;
        if (!digits()) return false;
    }
    return true;
}

static bool word(value *found, const char *word) {
    size_t length = strlen(word);
    found->kind = OTHER;
    if ((size_t)(end - at) < length || memcmp(at, word, length)) return false;
    at += length;
    return true;
}

static bool same(const value *one, const char *bytes, size_t length) {
    return one->length == length && !memcmp(one->text, bytes, length);
}

static bool any(value *found, int depth);

// Parses the members of an object; a repeated name is an error.
static bool members(object *found, int depth) {
    *found = (object){0};
    if (!take('{')) return false;
    if (take('}')) return true;
    do {
        value name, member;
        skip_space();
        if (at >= end || *at != '"' || !text(&name) || !take(':') || !any(&member, depth + 1)) return false;
        for (size_t place = 0; place < found->count; place++)
            if (same(&found->names[place], name.text, name.length)) return false;
        if (found->count == MEMBERS) { found->overflow = true; continue; }
        found->names[found->count] = name;
        found->values[found->count++] = member;
    } while (take(','));
    return take('}');
}

static bool any(value *found, int depth) {
    skip_space();
    *found = (value){.start = at};
    if (depth > DEPTH || at >= end) return false;
    bool good;
    object inner;
    switch (*at) {
    case '{': found->kind = OBJECT; good = members(&inner, depth); break;
    case '[':
        found->kind = LIST;
        at++;
        if (take(']')) { good = true; break; }
        do { value element; good = any(&element, depth + 1); } while (good && take(','));
        good = good && take(']');
        break;
    case '"': good = text(found); break;
    case 't': good = word(found, "true"); break;
    case 'f': good = word(found, "false"); break;
    case 'n': good = word(found, "null"); break;
    default: good = number(found);
    }
    found->end = at;
    return good;
}

static const value *member(const object *from, const char *name) {
    for (size_t place = 0; place < from->count; place++)
        if (same(&from->names[place], name, strlen(name))) return &from->values[place];
    return NULL;
}

// ── Arguments ─────────────────────────────────────────────────────────────────────────────────────────────────────

// Parses a number without fraction or exponent, or decimal digits in a text. Returns the reason of a refusal, or NULL.
static const char *integer(const value *given, uint64_t last, uint64_t *result) {
    const char *first = given->kind == TEXT ? given->text : given->start;
    const char *after = given->kind == TEXT ? given->text + given->length : given->end;
    if (given->kind != TEXT && given->kind != NUMBER) return "wrong-type";
    bool is_negative = given->kind == NUMBER && *first == '-';
    if (is_negative) first++;
    if (first == after || (after - first > 1 && *first == '0')) return "wrong-type";
    for (const char *c = first; c < after; c++)
        if (*c < '0' || *c > '9') return "wrong-type";
    if (after - first > 18) return "out-of-range";
    for (*result = 0; first < after; first++) *result = *result * 10 + (uint64_t)(*first - '0');
    return *result > last || (is_negative && *result) ? "out-of-range" : NULL;
}

static const char *key(const value *given, unsigned char result[32]) {
    if (given->kind != TEXT) return "wrong-type";
    size_t count;
    for (size_t place = 0; place < given->length; place++)
        if (!strchr("0123456789abcdef", given->text[place]) || !given->text[place]) return "bad-hex";
    if (given->length % 2) return "bad-hex";
    if (given->length != 64) return "wrong-length";
    return sodium_hex2bin(result, 32, given->text, given->length, NULL, &count, NULL) ? "bad-hex" : NULL;
}

// ── Operations ────────────────────────────────────────────────────────────────────────────────────────────────────

typedef struct { const char *name; const char *arguments[2]; size_t count; } operation;

static const operation operations[] = {
    {"capabilities", {NULL}, 0}, {"epoch", {"unixSeconds"}, 1}, {"mdns-name", {"key", "epoch"}, 2},
    {"beacon-minor", {"key", "epoch"}, 2},
};

static void reply(const char *id, const char *format, const char *first, const char *second) {
    printf("{\"id\":%s,", id);
    printf(format, first, second);
    puts("}");
}

static void refuse(const char *id, const char *stage, const char *reason) {
    reply(id, "\"error\":{\"stage\":\"%s\",\"reason\":\"%s\"}", stage, reason);
}

static void run(const char *id, const operation *chosen, const object *given) {
    const value *values[2] = {NULL, NULL};
    size_t known = 0;
    for (size_t place = 0; place < chosen->count; place++)
        known += (values[place] = member(given, chosen->arguments[place])) != NULL;
    if (given->overflow || known < given->count) return refuse(id, "arguments", "unknown-field");
    if (known < chosen->count) return refuse(id, "arguments", "missing");
    if (chosen == &operations[0]) {
        return reply(id, "\"result\":{\"specVersion\":\"inkling/1-draft\",\"operations\":[%s]}",
                     "\"capabilities\",\"epoch\",\"mdns-name\",\"beacon-minor\"", "");
    }
    uint64_t number;
    const char *reason;
    if (chosen == &operations[1]) {
        if ((reason = integer(values[0], 3774873599, &number))) return refuse(id, "arguments", reason);
        printf("{\"id\":%s,\"result\":{\"epoch\":%u,\"period\":%u}}\n", id, (unsigned)(number / 900), (unsigned)(number / 3600));
        return;
    }
    unsigned char secret[32], code[32];
    if ((reason = key(values[0], secret))) return refuse(id, "arguments", reason);
    if ((reason = integer(values[1], 4194303, &number))) return refuse(id, "arguments", reason);
    // H(key, label ‖ dec(epoch)), Specs/identifiers.md
    bool is_name = chosen == &operations[2];
    char message[40], name[33];
    int length = snprintf(message, sizeof message, "%s%u", is_name ? "mDNS-name-" : "iBeacon-minor-", (unsigned)number);
    crypto_auth_hmacsha256(code, (const unsigned char *)message, (unsigned long long)length, secret);
    if (is_name) return reply(id, "\"result\":{\"name\":\"%s\"}", sodium_bin2hex(name, sizeof name, code, 16), "");
    printf("{\"id\":%s,\"result\":{\"minor\":%u}}\n", id, (unsigned)(code[0] << 8 | code[1]));
}

static void answer(size_t length) {
    static char id[8 * LONGEST_ID];
    value whole;
    object request, arguments = {0};
    strcpy(id, "null");
    at = line;
    end = line + length;
    texts_used = 0;
    if (length > LONGEST_LINE) return refuse(id, "request", "too-long");
    bool is_json = any(&whole, 0);
    skip_space();
    if (!is_json || at != end) return refuse(id, "request", "not-json");
    if (whole.kind != OBJECT) return refuse(id, "request", "not-an-object");
    at = whole.start;
    texts_used = 0;
    members(&request, 0);
    const value *given = member(&request, "id");
    uint64_t number;
    if (!given || !(given->kind == TEXT ? given->length <= LONGEST_ID
                                        : given->kind == NUMBER && !integer(given, 9007199254740991, &number)))
        return refuse(id, "request", "bad-id");
    // A text is returned as it was written, with its escapes.
    snprintf(id, sizeof id, "%.*s", (int)(given->end - given->start), given->start);
    const value *name = member(&request, "op"), *inner = member(&request, "args");
    if (!name || name->kind != TEXT) return refuse(id, "request", "bad-op");
    if (request.overflow || request.count != 2 + (size_t)(inner != NULL) || (inner && inner->kind != OBJECT))
        return refuse(id, "request", "bad-args");
    if (inner) {
        at = inner->start;
        members(&arguments, 1);
    }
    for (size_t place = 0; place < sizeof operations / sizeof *operations; place++)
        if (same(name, operations[place].name, strlen(operations[place].name)))
            return run(id, &operations[place], &arguments);
    reply(id, "\"unsupported\":true", "", "");
}

int main(void) {
    if (sodium_init() < 0) return 1;
    size_t length = 0;
    for (int c; (c = getchar()) != EOF;) {
        if (c == '\n') {
            answer(length);
            fflush(stdout);
            length = 0;
        } else if (length <= LONGEST_LINE) {
            line[length++] = (char)c;
        }
    }
    if (length) answer(length);
    return 0;
}
