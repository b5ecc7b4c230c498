// The frozen table of anchor words (PROTOCOL 5), generated once by scripts/make-trigrams.ts. The order must never
// change and no word may be replaced: every anchor ever shown depends on it. Each word is a single token in the o200k
// and the cl100k vocabulary.

/**
 * For each word, how many of the 26³ combinations before it, in alphabetical order, are left out: each dash counts 26,
 * and a letter the rest, from a = 0.
 */
const gaps =
  "achbdbgaabcacccgbbbcaccdaeababcaacbcaabbabbawdacocdbaaeacaaadbhcbaccihaadaagddfdbfdcabddaadbbaaaabbbbdaadbabadcabacaaddbbaaaacadaf-adcabacabaaevfaaaaaabbaaaaacaadbdcabdadadaadcacccaaadabaabaefaadcddeadfbheefftbdjdhddffdabaacacabacaaadabc-yyaaaaaababdaac---dababcbccag--adfdcxlyajbadacbt-ljfiptpbaefaae---fi-nbhaaaac-hbffqhmcaeaaaabbabl-tdbbbabadaabbbcagbaabaa-gdjdagddbhko-ajhacbaaaaased-fddbjtcpfaegkba-k---ueceaaaaaaaaeddag-lchmbababdbaaabaabds--hcbagae--mt-riebdaea--gdjgcuunbfgf----kuiadbdcaycacaeadafacadfdbdeagbdahcaamagfecexlhb-mhfdagcaaccaaaacaadbabaddbacbdbdbaabcadaada-s-bfaaaabbbbaaabaabcbbbcabdacafadcafcaaadarmoyjbjegd-waibcaae---dbagbdidack--jcefbd--fqdu-rbadeu-hdh-gkkcsf-----taabbah---abacdabcad-a-kkgcaafbada--kdd-gkpraacaabax-fdja-dkfpdd-----sbecaabbaae--sicadbaaadaabc---caahaabbaa---g-zefaabcaab--dr-hddkgakf-----jaacdaaaabaafaddfcaaafbbcabacdaeaacadccdeadababaaaaadaaaaacadacfdaadbdbaadaacaaaziercadbcaffdcabddaafcadbaabdaebacbbdbacbfcabaabcaaabcbaacahaadaadcdcaccacabcvfbaadbaabbbaebbaacabaabacaadaadcafcaaadamfhddfcg-bdjlzddffebaadcaaadacaaa---dbecadaa---jaif-----hkaefh---ih-igd--b---ndbbbaaj--wcagbdaa---jahabbb--k--vjaacbac--i-dv-gf-----jbcaeabbaababmg-hapajaabaabbbabacba--thbaabcabaaacab--ecadl-luaaafcaabbbaa--vgsdgfpflad---pe-jacaaaaabdaae--jcrcdaaadaaf-r-ibaagfaad---cl-ghjaaeafhac--u--beda---z-ocaacbaab--edvcacbaabacaabca-adjcf-cbaaccbaada-----iabgeacafgc---gkcdgfu---g--cwacdccdfbbbcabaccafaaabadfdbdoepjagdbaaeacafmbphbdaaorddfdbfdaabbacdaaacbacddbacfbccbeadaeadgaaaaabbgdcaccabaae-baabaabbbaaabaaadaabbcaccacagdcafabaahbcbcbbccbcddfjbddccdfzbnptdacebdaaetzmindbbafaaf--addgieaiaabbd-imgdnae-h-ebdaakjdf-bdjtpaadcgdfoda-k---------------e------k-zebhfd-----ibbaaaabaacaaadaa-h-sababaababaaaaabaaaaa-b-mdhaaaaaacaaaaaabaadb-----baaabbbbabcaaabaacj---fspbgbcdf---ne-saabde-ijspbbbbbaaaaaaaaf-jrddtaagafad-kldb-rkyiaaqgccg-dsegacddgcacadbdbdodkd---fa-neeaabbaaacn-d-kbaafaaabbaad-nodmajaagaab--ons-obdbbaaaacbr-oddccf-dfdcd------vbdbgacdfdfdbcabhagcadfacbdehaadaafeamagdbaafdbjgrhbdaagdpfddfeafcaaabbacacaadbabadcaaaacbfbaabbaacadaaxhdjacae-babaaabcabcaaadbaaeabdacaaeabbabadbcaaeamemjh-hzjppecbfcea---jddbdaaea---abaabdaaaaabaaf-----dhbdafo-qj-aut------ggabc---cebcbd--wjeabcaabea----j-jace-------z-q-maaaxaaaavacubaaauaaaaauaaaaa--libkea--ys--b----------l-lbda-odn-ndb---o--rdgsdrbbikodcjt-f-dkfhlt----k-oda---kaeaaaadaa---gdbdc-----ze----l-b----fn";

/** 2,048 words of three lower-case letters, in alphabetical order. */
export const trigrams: readonly string[] = wordsAfter(gaps);

function wordsAfter(gaps: string): string[] {
  const words: string[] = [];
  let place = -1;
  for (const sign of gaps) {
    place += sign === "-" ? 26 : sign.charCodeAt(0) - 0x60;
    if (sign !== "-")
      words.push(String.fromCharCode(0x61 + place / 676, 0x61 + ((place / 26) % 26), 0x61 + (place % 26)));
  }
  return words;
}
