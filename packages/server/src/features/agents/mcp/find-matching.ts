import { type AvailableTool, ownDescription } from '../tools/index.ts'

/** Words that a tool is found by, besides the name of its action. */
const synonyms: Record<string, readonly string[]> = {
  search: ['find', 'query', 'look'],
  list: ['all', 'show', 'read'],
  get: ['read', 'fetch', 'show', 'open'],
  create: ['add', 'new', 'make', 'insert'],
  update: ['change', 'edit', 'modify', 'set'],
  delete: ['remove', 'erase'],
}

/** Returns the tools that have most of the words, the best first. Asks no provider. */
export function findMatching(available: readonly AvailableTool[], query: string, limit: number): AvailableTool[] {
  const words = wordsOf(query)
  const scored = available.map((tool) => ({ tool, score: scoreOf(tool, words) }))
  return scored
    .filter(({ score }) => score > 0)
    .toSorted((one, other) => other.score - one.score)
    .slice(0, limit)
    .map(({ tool }) => tool)
}

function scoreOf({ tool, installation }: AvailableTool, words: readonly string[]): number {
  const { action, label, objectName, integrationName } = tool
  const names = wordsOf([label, objectName].join(' '))
  const context = wordsOf([integrationName, installation.provider, ownDescription(tool)].join(' '))
  return words.reduce((score, word) => {
    if (names.some((name) => isAlike(name, word))) return score + 4
    if (action === word || synonyms[action]?.includes(word)) return score + 2
    return context.includes(word) ? score + 1 : score
  }, 0)
}

/** Whether two words are the same but for a plural. */
function isAlike(one: string, other: string): boolean {
  return one === other || `${one}s` === other || one === `${other}s`
}

function wordsOf(text: string): string[] {
  return text
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '')
    .slice(0, 100)
}
