/* First contact in Promela: what Specs/first-contact.md lets two sides do, written from its rules.
   Two users, sides 0 and 1. Keys are numbered by first contact: 1 is in force at the start if they are contacts already,
   each first contact has the next. A change is durable at the step that makes it: a machine that saves later, and ends
   before its save is done, has not made the step.

   With -DTRACE the steps are those of recorded runs (trace.h, which replay.py writes): each run is accepted if its last
   step can be reached. Without it every step is free, and Spin visits all orders of at most CONTACTS first contacts and
   CALLS calls, with one crash and one removal; of users who do not know each other with -DSTRANGERS. Weaker readings:
   -DDECLINES_LATE   who has sent ACCEPT may send DECLINE, and drops the key
   -DONE_CANDIDATE   the responder always uses its first candidate
   -DDROPS_ALL       a success drops every other key
   -DFULL_FIRST      the full grant leaves before "complete" is stored

   Not in the model: time, numbers of keys, one link or session of several at once, and who is at fault for the end of a
   link: a link may end at any step. */
#ifndef CONTACTS
#define CONTACTS 1
#endif
#ifndef CALLS
#define CALLS 3
#endif

/* The steps: kind, side, and what they say. */
#define MEET 1      /* a first contact begins; x: which sides have a link */
#define AGREE 2     /* the user agrees: the key and the standing are stored */
#define ACCEPTS 3   /* ACCEPT leaves */
#define DECLINES 4  /* DECLINE leaves */
#define GREETS 5    /* HELLO leaves on the link */
#define ACCEPTED 6  /* ACCEPT has arrived, and is stored */
#define DECLINED 7  /* DECLINE has arrived, and its consequence is stored */
#define GREETED 8   /* HELLO has arrived on the link, and the success of its key is stored */
#define ENDS 9      /* the side has no link any more */
#define LOSES 10    /* what is on the way to the side is lost, and what it has sent perhaps */
#define CRASHES 11  /* the side ends and starts again with what is stored */
#define ANSWERS 12  /* the side answers a call under key x */
#define OPENS 13    /* message 2 has opened under key x, and its success is stored */
#define PROCEEDS 14 /* the first record leaves */
#define HEARS 15    /* the first record has opened under key x, and its success is stored */
#define COMPARES 16 /* HELLOs are compared, and the consequence is stored; x: bits named, held, lacking */
#define GRANTS 17   /* a grant of the span x leaves and arrives */
#define EXPIRES 18  /* a first grant that the side holds is over */
#define REMOVES 19  /* the user removes the other */
#define KEEPS 20    /* what is stored: x the keys, y standing, granted, turn, z the shared key */

/* Standings. */
#define NONE 0
#define WAITING 1
#define HALF 2
#define COMPLETE 3
/* Spans of grants; OLD is that of contacts at the start. */
#define OLD 1
#define FIRST 2
#define FULL 3

mtype = { accept, decline, hello };
chan way[2] = [4] of { mtype };   /* the records on the way to a side */

/* Stored. */
byte keys[2], shared[2], turn[2], standing[2], granted[2], holds[2];
/* The link and the session. */
bool up[2], agreed[2], sent[2], heard[2], greeted[2];
byte contact = 1, answered[2], opened[2], proceeded[2], due[2];
/* For the properties: whether the other has said that it accepts, the keys agreed to, and whether a full grant left. */
bool told[2], fullLeft[2];
byte consents[2];

byte kind, i, x, y, z, k, n, crashes, calls, removals;
bool over;

#define bit(key) (1 << (key))
#ifdef DROPS_ALL
#define REST(key) bit(key)
#else
#define REST(key) ~(bit(key) - 1)
#endif
#define has(p, key) ((key) != 0 && (keys[p] & bit(key)) != 0)
#define first(p, key) (has(p, key) && (shared[p] == 0 || (key) > shared[p]) -> 1 : 0)
#define kept(p, key) (has(p, key) -> 1 : 0)
#define most(a, b) ((a) > (b) -> (a) : (b))

#ifdef TRACE
c_decl {
\#include "trace.h"
};
short walk, at;
#define must(condition, number) if :: (condition) :: else -> c_code { violates(now.walk, number); } fi
#else
#define must(condition, number) assert(condition)
#endif

inline unlink(p) {
  up[p] = false; agreed[p] = false; sent[p] = false; heard[p] = false; greeted[p] = false;
  do :: len(way[p]) > 0 -> way[p]?_ :: else -> break od
}
inline lose(p) {
  do :: len(way[p]) > 0 -> way[p]?_ :: else -> break od;
  if
  :: do :: len(way[1 - p]) > 0 -> way[1 - p]?_ :: else -> break od
  :: len(way[1 - p]) > 0 -> skip
  fi
}
inline succeed(p, key) {
  has(p, key);
  shared[p] = most(shared[p], key); keys[p] = keys[p] & REST(key); turn[p] = 0; told[p] = true;
  if :: standing[p] == WAITING -> standing[p] = HALF :: else fi
}
/* k becomes the key of the next answer, n the number of candidates. */
inline choose(p) {
  n = first(p, 1) + first(p, 2) + first(p, 3) + first(p, 4) + first(p, 5) + first(p, 6) + (shared[p] != 0 -> 1 : 0);
  n > 0;
#ifdef ONE_CANDIDATE
  turn[p] = 0;
#endif
  y = turn[p] % n; turn[p] = (turn[p] + 1) % n;
  if
  :: shared[p] != 0 && y == 0 -> k = shared[p]
  :: else ->
       if :: shared[p] != 0 -> y-- :: else fi;
       k = 6;
       do :: first(p, k) == 0 -> k-- :: first(p, k) == 1 && y > 0 -> y--; k-- :: first(p, k) == 1 && y == 0 -> break od
  fi
}
inline put(p, record) { if :: up[1 - p] -> way[1 - p]!record :: else fi }
inline honest(p) { must(!(standing[p] == HALF && fullLeft[p] && holds[1 - p] == FULL), 1) }

inline step() {
  if
  :: kind == MEET -> !up[0] && !up[1]; unlink(0); unlink(1); contact++; up[0] = x & 1; up[1] = (x >> 1) & 1
  :: kind == AGREE -> up[i] && !agreed[i];
       kept(i, 1) + kept(i, 2) + kept(i, 3) + kept(i, 4) + kept(i, 5) + kept(i, 6) < 4;
       agreed[i] = true; keys[i] = keys[i] | bit(contact); consents[i] = consents[i] | bit(contact); turn[i] = 0;
       if :: heard[i] -> shared[i] = contact :: else fi;
       if :: standing[i] == NONE -> standing[i] = WAITING :: else fi
  :: kind == ACCEPTS -> up[i] && agreed[i] && !sent[i]; sent[i] = true; put(i, accept)
  :: kind == DECLINES -> up[i] && !agreed[i]; put(i, decline)
  :: kind == GREETS -> up[i] && sent[i] && heard[i] && !greeted[i] && standing[i] >= HALF && shared[i] == contact;
       greeted[i] = true; put(i, hello)
  :: kind == ACCEPTED -> up[i] && way[i]?[accept]; way[i]?accept; heard[i] = true; told[i] = true;
       if :: agreed[i] -> shared[i] = contact :: else fi
  :: kind == DECLINED -> up[i] && way[i]?[decline]; way[i]?decline;
       if
       :: agreed[i] && shared[i] != contact -> keys[i] = keys[i] & ~bit(contact); turn[i] = 0;
            if
            :: standing[i] == WAITING && keys[i] == 0 -> standing[i] = NONE; shared[i] = 0; granted[i] = 0
            :: else
            fi
       :: else
       fi
  :: kind == GREETED -> up[i] && sent[i] && heard[i] && way[i]?[hello]; way[i]?hello; succeed(i, contact)
  :: kind == ENDS -> up[i]; unlink(i)
  :: kind == LOSES -> up[i]; lose(i)
  :: kind == CRASHES -> lose(i); unlink(i); answered[i] = 0; opened[i] = 0; due[i] = 0
  :: kind == ANSWERS -> choose(i); k == x; answered[i] = k
  :: kind == OPENS -> answered[1 - i] == x && x != 0; answered[1 - i] = 0; succeed(i, x); opened[i] = x
  :: kind == PROCEEDS -> opened[i] != 0; proceeded[i] = opened[i]; opened[i] = 0
  :: kind == HEARS -> proceeded[1 - i] == x && x != 0; proceeded[1 - i] = 0; succeed(i, x)
  :: kind == COMPARES ->
       x == (holds[1 - i] != 0 -> 1 : 0) + (holds[i] != 0 -> 2 : 0) + (holds[1 - i] != FULL -> 4 : 0);
       if
       :: standing[i] == HALF && holds[1 - i] != 0 && holds[i] != 0 -> standing[i] = COMPLETE; due[i] = FULL
       :: standing[i] == HALF && holds[1 - i] == 0 -> due[i] = FIRST
#ifdef FULL_FIRST
       :: standing[i] == HALF && holds[1 - i] != 0 && holds[i] != 0 -> due[i] = FULL
#endif
       :: standing[i] == COMPLETE && holds[1 - i] != FULL -> due[i] = FULL
       :: else -> due[i] = 0
       fi;
       granted[i] = most(granted[i], due[i])
  :: kind == GRANTS -> due[i] == x && x != 0; due[i] = 0;
       must(told[i] && consents[i] != 0, 2);
       if :: x == FULL -> fullLeft[i] = true :: else fi;
       if :: holds[1 - i] != FULL -> holds[1 - i] = x :: else fi
  :: kind == EXPIRES -> holds[i] == FIRST; holds[i] = 0
  :: kind == REMOVES -> !up[i] && standing[i] != NONE;
       keys[i] = 0; shared[i] = 0; turn[i] = 0; standing[i] = NONE; granted[i] = 0; consents[i] = 0;
       told[i] = false; fullLeft[i] = false; answered[i] = 0; opened[i] = 0; due[i] = 0
  :: kind == KEEPS ->
       keys[i] == x && standing[i] == (y & 3) && granted[i] == ((y >> 2) & 3) && turn[i] == (y >> 4) && shared[i] == z
  fi;
  honest(0); honest(1)
}

/* Both ACCEPTs are stored: so is the standing. */
inline raise(p) { up[p] && sent[p] && heard[p] && standing[p] == WAITING; standing[p] = HALF }

/* Nothing is lost any more: two sides that agreed to one key find each other, whoever calls. */
inline find(p) {
  calls = 0; over = false;
  do
  :: calls < 4 && !over && keys[1 - (p)] != 0 -> calls++; choose(1 - p); if :: has(p, k) -> over = true :: else fi
  :: else -> break
  od;
  must(over, 3); over = true
}
inline conclude() {
  if
  :: (consents[0] & consents[1]) != 0 && standing[0] != NONE && standing[1] != NONE -> if :: i = 0 :: i = 1 fi; find(i)
  :: else
  fi
}
inline acquainted() {
  keys[0] = bit(1); keys[1] = bit(1); shared[0] = 1; shared[1] = 1; standing[0] = COMPLETE; standing[1] = COMPLETE;
  granted[0] = OLD; granted[1] = OLD; holds[0] = FULL; holds[1] = FULL; told[0] = true; told[1] = true;
  consents[0] = bit(1); consents[1] = bit(1)
}

active proctype Steps() {
#ifdef TRACE
  atomic {
    do :: c_expr { now.walk < RUNS - 1 } -> walk++ :: break od;
    c_code { now.at = starts[now.walk]; };
    if :: c_expr { !strangers[now.walk] } -> acquainted() :: c_expr { strangers[now.walk] } fi
  }
  do
  :: atomic { c_expr { now.at < starts[now.walk + 1] } ->
       c_code {
         now.kind = steps[now.at][0]; now.i = steps[now.at][1]; now.x = steps[now.at][2]; now.y = steps[now.at][3];
         now.z = steps[now.at][4]; reaches(now.walk, now.at);
       };
       step(); at++; kind = 0; x = 0; y = 0; z = 0; k = 0; n = 0 }
  :: atomic { raise(0) }
  :: atomic { raise(1) }
  :: atomic { c_expr { now.at == starts[now.walk + 1] } -> c_code { accepts(now.walk); }; conclude(); break }
  od
#else
#ifndef STRANGERS
  acquainted();
#endif
  do
  :: atomic {
       if :: i = 0 :: i = 1 fi;
       if
       :: contact <= CONTACTS -> kind = MEET; if :: x = 1 :: x = 3 fi
       :: up[i] && !agreed[i] -> kind = AGREE
       :: up[i] && agreed[i] && !sent[i] -> kind = ACCEPTS
       :: up[i] && !agreed[i] -> kind = DECLINES; step(); kind = ENDS
#ifdef DECLINES_LATE
       :: up[i] && sent[i] && !heard[i] -> put(i, decline); kind = ENDS;
            if :: shared[i] != contact -> keys[i] = keys[i] & ~bit(contact) :: else fi;
            if :: standing[i] == WAITING && keys[i] == 0 -> standing[i] = NONE :: else fi
#endif
       :: up[i] && sent[i] && heard[i] && !greeted[i] && standing[i] >= HALF -> kind = GREETS
       :: up[i] && way[i]?[accept] -> kind = ACCEPTED
       :: up[i] && way[i]?[decline] -> kind = DECLINED; step(); kind = ENDS
       :: up[i] && way[i]?[hello] -> kind = GREETED; step(); kind = COMPARES
       :: up[i] -> kind = LOSES; step(); kind = ENDS
       :: up[i] && crashes < 1 -> crashes++; kind = CRASHES
       :: calls < CALLS && keys[i] != 0 && keys[1 - i] != 0 && answered[0] + answered[1] == 0 ->
            calls++; kind = ANSWERS; choose(i); x = k; turn[i] = (turn[i] + n - 1) % n
       :: answered[i] != 0 -> answered[i] = 0; kind = 0
       :: has(i, answered[1 - i]) -> kind = OPENS; x = answered[1 - i]
       :: opened[i] != 0 -> kind = PROCEEDS
       :: opened[i] != 0 -> opened[i] = 0; kind = 0
       :: proceeded[1 - i] != 0 && has(i, proceeded[1 - i]) -> x = proceeded[1 - i]; kind = HEARS; step(); kind = COMPARES
       :: proceeded[1 - i] != 0 -> proceeded[1 - i] = 0; kind = 0
       :: due[i] != 0 -> kind = GRANTS; x = due[i]
       :: holds[i] == FIRST -> kind = EXPIRES
       :: standing[i] != NONE && !up[i] && removals < 1 -> removals++; kind = REMOVES
       fi;
       if
       :: kind == COMPARES ->
            x = (holds[1 - i] != 0 -> 1 : 0) + (holds[i] != 0 -> 2 : 0) + (holds[1 - i] != FULL -> 4 : 0)
       :: else
       fi;
       if :: kind != 0 -> step() :: else fi;
       kind = 0; x = 0; y = 0; z = 0; k = 0; n = 0 }
  :: atomic { raise(0) }
  :: atomic { raise(1) }
  :: atomic { !up[0] && !up[1] -> conclude(); break }
  od
#endif
}
