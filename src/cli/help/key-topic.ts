/** How keys and owners are written, and how a thread is named. */
export const KEY_TOPIC = `Keys

A key is any text. Where it is typed and where it is printed it is in its
written form, and so are owners and the ids of threads and resources. What is
printed can be typed back:

  \\0       a NUL, whatever follows it (redis-cli shows it as \\x00)
  \\xHH     the character U+00HH
  \\u{…}    any character, by its code point in hex
  \\\\       a backslash

Only a key that is not UTF-8 cannot be typed: it is listed as hex:… . In a
shell, quote: 'a\\0b'.

Threads

The key of a thread is its resource, a NUL and its id. Name it by its ids, which
survive shells, xargs and YAML:

  --resource user-42 --thread abc   exactly that one
  --thread abc                      the one held thread with that id; of several
                                    none is taken (2)
  thread:abc                        this very key; where nobody holds it, a read
                                    looks for the held thread abc, and a write
                                    refuses and prints the command that is meant
  --literal thread:abc              this very key, and nothing is looked for

Mastra's runtime never uses the key thread:abc itself. A key that is no
thread's, such as deploy, is yours alone.

Many keys

  mastra-lease owner deploy report nightly
  mastra-lease list --json | mastra-lease owner - --json

- reads keys from stdin, one JSON object a line with a field "key", as
list --json prints them. A field "owner" is the owner from whom release - gives
the key back.

Owners

An owner is compared byte for byte. The runtime's is its run id; acquire and
exec make a fresh unique one, user@host:pid:random, unless --owner names it.
Whoever goes by the holder's name is the holder: two jobs with one owner keep
nobody out.
`;
