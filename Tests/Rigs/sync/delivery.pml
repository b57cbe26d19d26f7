/* The delivery of texts in Promela: what Specs/sync.md lets a sender (A) and a receiver (B) do, written from its rules.
   Links 0 and 1 may be open at once; each carries records in order in both directions and may end at any step, with all
   that is on its way. Either side may crash at any step and keeps only what is stored. An older copy of the sender's queue
   may take the place of the queue, several times; whether the sender knows it makes no difference.

   What must hold in every order of the steps:
   - the sender drops only texts that the receiver has stored (nothing is lost);
   - no text is accepted twice, unless a process of the sender has ended; then its identifier shows it;
   - the texts of the present queue come in its order;
   - the receiver names in the sender's stream only what was sent in it.

   Weaker readings, each of which must be found:
   -DACKNOWLEDGES_EARLY   the receipt leaves before the text is stored
   -DDELIVERS_EARLY       the application has the text before it is stored, and no identifiers
   -DDROPS_EARLY          the sender drops what it has sent
   -DKEEPS_STREAM         a process goes on in the stream of the one before it; identifiers are compared
   -DNO_STREAM            numbers alone: no streams and no identifiers
   -DNO_IDENTIFIERS       a sender does not compare identifiers
   -DOVERWRITES           a receiver takes the number of any text as the last one

   Not in the model: rooms, quotas, withdrawn texts, times, and the eventual arrival, which the simulation tests. */
#define NUMBERS 2     /* numbers that may be given */
#define TEXTS 3       /* texts that may be queued */
#ifndef SESSIONS
#define SESSIONS 3    /* sessions that may begin */
#endif
#ifndef CRASHES
#define CRASHES 1     /* crashes of each side */
#endif
#ifndef RESTORES
#define RESTORES 2    /* how often a copy takes the place of the queue */
#endif
#ifndef COPIES
#define COPIES 1      /* copies that are made; the last one is kept */
#endif
#define NONE 2

mtype = { receipt, stream, message };
chan toA[2] = [2] of { mtype, byte, byte, byte };
chan toB[2] = [2] of { mtype, byte, byte, byte };

/* The sender, stored: the base, the next number, the texts by number. */
byte base = 0, next = 1;
byte text[NUMBERS + 1];
/* Its copy. */
byte copies = 0, restores = 0;
byte copyBase, copyNext, copyText[NUMBERS + 1];
/* In memory: the stream of this process, the session in which it sends, what it sends next, the last that it has sent. */
byte own = 1, sending = NONE, cursor = 1, sent = 0;
bool considered[2];

/* The receiver, stored: the last text. */
byte lastStream = 0, lastNumber = 0, lastID = 0;
/* In memory: the stream and the number that were accepted, the stream of each session, a text that is being stored. */
byte present = 0, accepted = 0;
byte announced[2];
bool isStoring = false;
byte storingID = 0;

/* The application, stored. */
bool seen[TEXTS + 1];

bool open[2];
byte newest = NONE, sessions = 0, crashesA = 0, crashesB = 0, texts = 0;

inline acknowledgeStored(s, n, d) {
    if
    :: newest != NONE && len(toA[newest]) < 2 -> toA[newest]!receipt, s, n, d
    :: newest == NONE || len(toA[newest]) == 2 -> skip
    fi
}

inline cut(i) {
    do
    :: len(toA[i]) > 0 -> toA[i]?_, _, _, _
    :: len(toB[i]) > 0 -> toB[i]?_, _, _, _
    :: len(toA[i]) + len(toB[i]) == 0 -> break
    od;
    open[i] = false; considered[i] = false; announced[i] = 0;
    if :: sending == i -> sending = NONE :: else fi;
    if
    :: newest == i && open[1 - i] ->
        newest = 1 - i;
        /* Receipts may have been on their way. */
        acknowledgeStored(lastStream, lastNumber, lastID)
    :: newest == i && !open[1 - i] -> newest = NONE :: else fi
}

/* The sender takes texts up to number n as received. */
inline acknowledge(n) {
    k = base + 1;
    do
    :: k <= n -> assert(seen[text[k]]); k++
    :: else -> break
    od;
    base = n;
    if :: cursor <= base -> cursor = base + 1 :: else fi
}

/* Another process of the sender begins. */
inline begin() {
#if !defined(KEEPS_STREAM)
    own++;
#endif
    cursor = base + 1; sent = 0
}

inline announce(i) {
    considered[i] = true; sending = i; cursor = base + 1;
    toB[i]!stream, own, cursor, 0
}

inline deliver(d) {
    if
    :: seen[d] ->
        /* Identifiers are for what several processes have sent: in one, no text even comes twice. */
        assert(restores > 0 || crashesA > 0)
    :: else -> seen[d] = true;
        k = 1;
        do
        :: k < next && text[k] != d -> k++
        :: else -> break
        od;
        if
        :: k < next ->
            do
            :: k > 1 -> k--; assert(seen[text[k]])
            :: else -> break
            od
        :: else -> skip
        fi
    fi
}

/* Whether a receipt's text is the one that the sender keeps under this number. */
#if defined(NO_IDENTIFIERS) || defined(NO_STREAM)
#define SAME(n, d) true
#else
#define SAME(n, d) (text[n] == (d))
#endif
#if defined(NO_STREAM)
#define IS_OWN(s) ((s) != 0)
#else
#define IS_OWN(s) ((s) == own)
#endif

active proctype world() {
    byte i, k, s, n, d;
    mtype kind;
next_step:
    do
    /* The sender's user writes a text; it is stored with its number. */
    :: atomic { texts < TEXTS && next <= NUMBERS -> texts++; text[next] = texts; next++ }
    /* A session begins: both HELLOs have opened, and the receiver says what it has. */
    :: atomic { sessions < SESSIONS && (!open[0] || !open[1]) ->
        sessions++;
        if :: !open[0] -> i = 0 :: open[0] -> i = 1 fi;
        open[i] = true; newest = i;
        toA[i]!receipt, lastStream, lastNumber, lastID }
    :: atomic { open[0] -> cut(0) }
    :: atomic { open[1] -> cut(1) }
    /* Crashes. */
    :: atomic { crashesA < CRASHES -> crashesA++; cut(0); cut(1); begin() }
    :: atomic { crashesB < CRASHES -> crashesB++; cut(0); cut(1);
        isStoring = false; present = lastStream; accepted = lastNumber }
    /* A copy of the queue, and its return. */
    :: atomic { copies < COPIES -> copies++; copyBase = base; copyNext = next;
        k = 1; do :: k < next -> copyText[k] = text[k]; k++ :: else -> break od }
    :: atomic { copies > 0 && restores < RESTORES -> restores++; cut(0); cut(1);
        base = copyBase; next = copyNext;
        k = 1; do :: k <= NUMBERS -> text[k] = (k < next -> copyText[k] : 0); k++ :: else -> break od;
        begin() }
    /* The sender reads a receipt. */
    :: atomic { len(toA[0]) > 0 && len(toB[0]) < 2 -> i = 0; goto reads }
    :: atomic { len(toA[1]) > 0 && len(toB[1]) < 2 -> i = 1; goto reads }
    /* The sender sends the next text. */
    :: atomic { sending != NONE && cursor < next && len(toB[sending]) < 2 ->
        toB[sending]!message, own, cursor, text[cursor];
        if :: cursor > sent -> sent = cursor :: else fi;
#if defined(DROPS_EARLY)
        acknowledge(cursor);
#else
        cursor++
#endif
        }
    /* The receiver reads STREAM or a text; it stores one text at a time. */
    :: atomic { len(toB[0]) > 0 && !isStoring -> i = 0; goto hears }
    :: atomic { len(toB[1]) > 0 && !isStoring -> i = 1; goto hears }
    /* The store has it. */
    :: atomic { isStoring ->
        isStoring = false; lastStream = present; lastNumber = accepted; lastID = storingID;
#if !defined(DELIVERS_EARLY)
        deliver(storingID);
#endif
        acknowledgeStored(lastStream, lastNumber, lastID) }
    od;

reads:
    atomic {
        toA[i]?receipt, s, n, d;
        if
        :: IS_OWN(s) && n > base ->
#if !defined(NO_STREAM)
            assert(n <= sent && text[n] == d);
#endif
            if :: n < next -> acknowledge(n) :: else -> skip fi
        :: else -> skip
        fi;
        if
        /* A later one, or one that comes late in a session that is not the newest. */
        :: considered[i] || (i != newest && sending != NONE) -> skip
        :: else ->
            if
            :: s != 0 && !IS_OWN(s) && n > base && n < next && SAME(n, d) -> acknowledge(n)
            :: else -> skip
            fi;
            announce(i)
        fi
    }
    goto next_step;

hears:
    atomic {
        toB[i]?kind, s, n, d;
        if
        :: kind == stream ->
            announced[i] = s;
            if
#if defined(NO_STREAM)
            :: n > accepted + 1 -> accepted = n - 1
            :: else -> present = s
#else
            :: s != present && (i == newest || announced[1 - i] == 0) -> present = s; accepted = n - 1
            :: s == present && n > accepted + 1 -> accepted = n - 1
            :: else -> skip
#endif
            fi
        :: kind == message ->
            if
#if defined(OVERWRITES)
            :: announced[i] == present ->
#elif defined(NO_STREAM)
            :: n == accepted + 1 ->
#else
            :: announced[i] == present && n == accepted + 1 ->
#endif
                accepted = n; isStoring = true; storingID = d;
#if defined(DELIVERS_EARLY)
                deliver(d);
#endif
#if defined(ACKNOWLEDGES_EARLY)
                acknowledgeStored(present, n, d)
#endif
                skip
            :: else -> assert(announced[i] != present || n <= accepted)
            fi
        fi
    }

    goto next_step
}
