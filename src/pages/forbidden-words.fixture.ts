/** The words that pages must not use, each with its replacement. */
const forbiddenWords: readonly (readonly [RegExp, string])[] = [
  // Admins are not created: users become admins by the button Make admin.
  [/\b(?:make(?! admin\b)|makes|made|making)\b/, 'create'],
  [/\b(?:long URL|target|targets|leads? to)\b/, 'destination'],
  [/\bleads? nowhere\b/, 'stops working'],
  [/(?<!\b(?:email|IP) )\baddress(?:es)?\b/, 'URL'],
  [/\b(?:ends on|its end|without an end|last day)\b/, 'expires'],
  [/\b(?:pick|picks|picked)\b/, 'select'],
  [/\bswitched off\b/, 'disabled'],
  [/\bswitched on\b/, 'enabled'],
  [/(?<!\bsite )\boperators?\b/, 'Admin'],
  [/\b(?:left out|refused|taken in|let in)\b/, 'skipped, rejected, imported'],
  [/\b(?:is|are|be) told\b/, 'notified'],
  [/\b(?:for good|for ever|at once|any more)\b/, 'permanently'],
  [/\bthere (?:is|are) no(?:ne)?\b.*\byet\b/, 'No links yet'],
  [/\b(?:what was counted|figures)\b/, 'statistics'],
  [/\be-mails?\b/, 'email'],
  [/\bcolours?\b/, 'color'],
  [/\blicence\b/, 'license'],
  [/\bbegun\b/, 'started'],
  [/\b(?:nobody|somebody)\b/, 'no one, someone'],
]

/** Describes the first occurrence of each forbidden word in a text, with its replacement and context. */
export function findForbiddenWords(text: string): string[] {
  return forbiddenWords.flatMap(([pattern, replacement]) => {
    const match = new RegExp(pattern, 'i').exec(text)
    return match ? [`${match[0]} (${replacement}): …${excerptAt(text, match.index)}…`] : []
  })
}

function excerptAt(text: string, index: number): string {
  return text.slice(Math.max(0, index - 30), index + 50).replace(/\s+/g, ' ')
}
