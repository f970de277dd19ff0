/** Entries with the text in which they are found. */
export interface SearchIndex<Entry> {
  entries: readonly Entry[]
  texts: readonly string[]
}

/** Without case and accents, so that “Prenom” finds “Prénom”. */
const plain = (text: string) => text.normalize('NFD').replaceAll(/\p{M}/gu, '').toLowerCase()

/** Indexes entries once, so that a key press only compares. */
export function indexed<Entry>(entries: readonly Entry[], textOf: (entry: Entry) => string): SearchIndex<Entry> {
  return { entries, texts: entries.map((entry) => plain(textOf(entry))) }
}

/** Returns the entries that contain every word, those that begin with the first word before the others. */
export function search<Entry>({ entries, texts }: SearchIndex<Entry>, query: string): readonly Entry[] {
  const words = plain(query).split(/\s+/).filter(Boolean)
  const [first] = words
  if (first === undefined) return entries
  const beginning: Entry[] = []
  const others: Entry[] = []
  for (const [index, text] of texts.entries()) {
    if (!words.every((word) => text.includes(word))) continue
    const entry = entries[index] as Entry
    if (text.startsWith(first)) beginning.push(entry)
    else others.push(entry)
  }
  return [...beginning, ...others]
}
