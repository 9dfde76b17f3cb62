;; Finds the few places of a text at which a secret may begin. What it reports is compared exactly afterwards.
;;
;; Memory:  0        one byte for each pair of bytes: 1 when a shape begins with them, 8 and 16 when they are its second and
;;                   third, or third and fourth byte; 2 when an escape that matters begins with them; the pair of a letter
;;                   or digit and a zero has 4, that of a break and a zero 32
;;          65536    2^20 bits: seven bytes of an anchor, by their hash
;;          196608   the places that were found, 65536 of 32 bits
;;          458752   2^20 bytes: four bytes of an anchor, by their hash; one bit for the low bits of the byte after them
;;          1507328  the text, followed by 32 zeros
(module
  (memory (export "memory") 26)
  ;; Where to go on, when there was no room for more places.
  (global $next (export "next") (mut i32) (i32.const 0))

  ;; Answers how many places were found: place * 4 + 0 for a known value, 1 for a shape, 2 for an escape,
  ;; 3 for a word of 16 bytes or more that has a digit.
  (func (export "scan") (param $from i32) (param $to i32) (param $values i32) (param $shapes i32) (result i32)
    (local $p i32) (local $out i32) (local $v v128) (local $b v128) (local $breaks i32) (local $nextBreaks i32)
    (local $m i32) (local $i i32) (local $hi i32) 
    (local.set $p (i32.and (local.get $from) (i32.const -16)))
    (local.set $out (i32.const 196608))
    (local.set $nextBreaks (i8x16.bitmask (v128.or
            (i8x16.lt_s (local.tee $b (v128.load (local.get $p))) (v128.const i8x16 43 43 43 43 43 43 43 43 43 43 43 43 43 43 43 43))
            (i8x16.lt_s (i8x16.add (local.get $b) (v128.const i8x16 70 70 70 70 70 70 70 70 70 70 70 70 70 70 70 70)) (v128.const i8x16 -121 -121 -121 -121 -121 -121 -121 -121 -121 -121 -121 -121 -121 -121 -121 -121)))))
    (block $done
      (loop $blocks
        (br_if $done (i32.ge_s (local.get $p) (local.get $to)))
        (br_if $done (i32.gt_u (local.get $out) (i32.const 458240)))
        (local.set $v (v128.load (local.get $p)))

        ;; Shapes: sixteen bytes from where one begins have none of white space, quotes, parentheses,
        ;; `: ; < = > ? @`, and nothing beyond ASCII. Signed comparisons are one instruction, unsigned ones three.
        (if (local.get $shapes) (then
          (local.set $breaks (local.get $nextBreaks))
          (local.set $nextBreaks (i8x16.bitmask (v128.or
            (i8x16.lt_s (local.tee $b (v128.load offset=16 (local.get $p))) (v128.const i8x16 43 43 43 43 43 43 43 43 43 43 43 43 43 43 43 43))
            (i8x16.lt_s (i8x16.add (local.get $b) (v128.const i8x16 70 70 70 70 70 70 70 70 70 70 70 70 70 70 70 70)) (v128.const i8x16 -121 -121 -121 -121 -121 -121 -121 -121 -121 -121 -121 -121 -121 -121 -121 -121)))))
          (local.set $i (i32.sub (i32.const 32) (i32.clz (local.get $breaks))))
          (local.set $hi (i32.ctz (local.get $nextBreaks)))
          (if (i32.gt_u (local.get $hi) (i32.const 15)) (then (local.set $hi (i32.const 15))))
          (if (i32.le_u (local.get $i) (local.get $hi)) (then
            (if (i32.or (local.get $i) (i32.and (i32.load8_u (i32.load8_u (i32.sub (local.get $p) (i32.const 1)))) (i32.const 32))) (then
              (if (i32.shr_u
                    (i32.or
                      (i8x16.bitmask (i8x16.lt_s (i8x16.add (local.get $v) (v128.const i8x16 80 80 80 80 80 80 80 80 80 80 80 80 80 80 80 80)) (v128.const i8x16 -118 -118 -118 -118 -118 -118 -118 -118 -118 -118 -118 -118 -118 -118 -118 -118)))
                      (i32.shl (i8x16.bitmask (i8x16.lt_s (i8x16.add (local.get $b) (v128.const i8x16 80 80 80 80 80 80 80 80 80 80 80 80 80 80 80 80)) (v128.const i8x16 -118 -118 -118 -118 -118 -118 -118 -118 -118 -118 -118 -118 -118 -118 -118 -118))) (i32.const 16)))
                    (local.get $i)) (then
                (i32.store (local.get $out)
                  (i32.or (i32.shl (i32.add (local.get $p) (local.get $i)) (i32.const 2)) (i32.const 3)))
                (local.set $out (i32.add (local.get $out) (i32.const 4)))))))
            (local.set $i (i32.add (local.get $p) (local.get $i)))
            (local.set $hi (i32.add (local.get $p) (local.get $hi)))
            (loop $places
              (if (i32.and
                    (i32.and
                      (i32.load8_u (i32.load16_u (local.get $i)))
                      (i32.shr_u (i32.load8_u (i32.load16_u offset=1 (local.get $i))) (i32.const 3)))
                    (i32.and (i32.shr_u (i32.load8_u (i32.load16_u offset=2 (local.get $i))) (i32.const 4)) (i32.const 1))) (then
                (if (call $beginsWord (local.get $i)) (then
                  (i32.store (local.get $out) (i32.or (i32.shl (local.get $i) (i32.const 2)) (i32.const 1)))
                  (local.set $out (i32.add (local.get $out) (i32.const 4)))))))
              (local.set $i (i32.add (local.get $i) (i32.const 1)))
              (br_if $places (i32.le_u (local.get $i) (local.get $hi))))))))

        (if (local.get $values) (then
          ;; Escapes: \ % &
          (local.set $m (i8x16.bitmask (v128.or
            (i8x16.eq (local.get $v) (v128.const i8x16 92 92 92 92 92 92 92 92 92 92 92 92 92 92 92 92))
            (i8x16.lt_s (i8x16.add (local.get $v) (v128.const i8x16 91 91 91 91 91 91 91 91 91 91 91 91 91 91 91 91)) (v128.const i8x16 -126 -126 -126 -126 -126 -126 -126 -126 -126 -126 -126 -126 -126 -126 -126 -126)))))
          (if (local.get $m) (then
            (loop $escapes
              (local.set $i (i32.add (local.get $p) (i32.ctz (local.get $m))))
              (if (i32.and (i32.load8_u (i32.load16_u (local.get $i))) (i32.const 2)) (then
                (i32.store (local.get $out) (i32.or (i32.shl (local.get $i) (i32.const 2)) (i32.const 2)))
                (local.set $out (i32.add (local.get $out) (i32.const 4)))))
              (local.set $m (i32.and (local.get $m) (i32.sub (local.get $m) (i32.const 1))))
              (br_if $escapes (local.get $m)))))

          ;; Anchors: of seven bytes in a row, four stand at a place that 4 divides.
          (local.set $b (i32x4.shr_u
            (i32x4.mul
              (v128.and (local.get $v) (v128.const i32x4 0xdfdfdfdf 0xdfdfdfdf 0xdfdfdfdf 0xdfdfdfdf))
              (v128.const i32x4 0x9e3779b1 0x9e3779b1 0x9e3779b1 0x9e3779b1))
            (i32.const 12)))
          (if (i32.or
                (i32.or (i32.load8_u offset=458752 (i32x4.extract_lane 0 (local.get $b)))
                        (i32.load8_u offset=458752 (i32x4.extract_lane 1 (local.get $b))))
                (i32.or (i32.load8_u offset=458752 (i32x4.extract_lane 2 (local.get $b)))
                        (i32.load8_u offset=458752 (i32x4.extract_lane 3 (local.get $b))))) (then
            (if (i32.and (i32.const 1) (i32.shr_u (i32.load8_u offset=458752 (i32x4.extract_lane 0 (local.get $b)))
                  (i32.and (i32.load8_u offset=4 (local.get $p)) (i32.const 7))))
              (then (local.set $out (call $anchors
                (i32.add (local.get $p) (i32.const 0)) (local.get $from) (local.get $to) (local.get $out)))))
            (if (i32.and (i32.const 1) (i32.shr_u (i32.load8_u offset=458752 (i32x4.extract_lane 1 (local.get $b)))
                  (i32.and (i32.load8_u offset=8 (local.get $p)) (i32.const 7))))
              (then (local.set $out (call $anchors
                (i32.add (local.get $p) (i32.const 4)) (local.get $from) (local.get $to) (local.get $out)))))
            (if (i32.and (i32.const 1) (i32.shr_u (i32.load8_u offset=458752 (i32x4.extract_lane 2 (local.get $b)))
                  (i32.and (i32.load8_u offset=12 (local.get $p)) (i32.const 7))))
              (then (local.set $out (call $anchors
                (i32.add (local.get $p) (i32.const 8)) (local.get $from) (local.get $to) (local.get $out)))))
            (if (i32.and (i32.const 1) (i32.shr_u (i32.load8_u offset=458752 (i32x4.extract_lane 3 (local.get $b)))
                  (i32.and (i32.load8_u offset=16 (local.get $p)) (i32.const 7))))
              (then (local.set $out (call $anchors
                (i32.add (local.get $p) (i32.const 12)) (local.get $from) (local.get $to) (local.get $out)))))))))

        (local.set $p (i32.add (local.get $p) (i32.const 16)))
        (br $blocks)))
    (global.set $next (select (local.get $to) (local.get $p) (i32.ge_s (local.get $p) (local.get $to))))
    (i32.shr_u (i32.sub (local.get $out) (i32.const 196608)) (i32.const 2)))

  ;; Anchors that begin at the word or up to three bytes before it.
  (func $anchors (param $word i32) (param $from i32) (param $to i32) (param $out i32) (result i32)
    (local $s i32) (local $h i32)
    (local.set $s (i32.sub (local.get $word) (i32.const 3)))
    (loop $starts
      (if (i32.and (i32.ge_s (local.get $s) (local.get $from))
                   (i32.le_s (i32.add (local.get $s) (i32.const 7)) (local.get $to))) (then
        (local.set $h (i32.xor
          (call $hash (i32.load (local.get $s)) (i32.const 0x9e3779b1))
          (call $hash (i32.load offset=3 (local.get $s)) (i32.const 0x85ebca6b))))
        (if (i32.and
              (i32.shr_u (i32.load8_u offset=65536 (i32.shr_u (local.get $h) (i32.const 15)))
                         (i32.and (i32.shr_u (local.get $h) (i32.const 12)) (i32.const 7)))
              (i32.const 1)) (then
          (i32.store (local.get $out) (i32.shl (local.get $s) (i32.const 2)))
          (local.set $out (i32.add (local.get $out) (i32.const 4)))))))
      (local.set $s (i32.add (local.get $s) (i32.const 1)))
      (br_if $starts (i32.le_s (local.get $s) (local.get $word))))
    (local.get $out))

  ;; No letter or digit before it, unless that may be the end of an escape: \n, %3D, \x3d, \u003d.
  (func $beginsWord (param $i i32) (result i32)
    (i32.or
      (i32.eqz (i32.and (i32.load8_u (i32.load8_u (i32.sub (local.get $i) (i32.const 1)))) (i32.const 4)))
      (i32.or
        (i32.or
          (i32.eq (i32.load8_u (i32.sub (local.get $i) (i32.const 2))) (i32.const 92))
          (i32.eq (i32.load8_u (i32.sub (local.get $i) (i32.const 3))) (i32.const 37)))
        (i32.or
          (i32.eq (i32.load8_u (i32.sub (local.get $i) (i32.const 4))) (i32.const 92))
          (i32.eq (i32.load8_u (i32.sub (local.get $i) (i32.const 6))) (i32.const 92))))))

  ;; Upper and lower case count alike.
  (func $hash (param $word i32) (param $factor i32) (result i32)
    (i32.mul (i32.and (local.get $word) (i32.const 0xdfdfdfdf)) (local.get $factor))))
