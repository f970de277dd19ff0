import type { Capabilities, ProviderEntry } from '../src/catalogue/entry.ts'
import { allWebhooks } from '../src/index.ts'

/** Returns the text of README.md with the counts of the catalog. Throws if a sentence with a count is missing. */
export function withCounts(readme: string, entries: readonly ProviderEntry[]): string {
  const can = (...capabilities: (keyof Capabilities)[]) =>
    entries.filter(({ implemented }) => capabilities.some((capability) => implemented[capability])).length
  const webhooks = entries.filter((entry) => allWebhooks(entry).length > 0).length
  const counts: [sentence: RegExp, count: number][] = [
    [/(?<=\| Providers \| )[\d,]+(?= in the catalog:)/, entries.length],
    [/(?<= in the catalog: )[\d,]+(?= through the proxy)/, can('proxy')],
    [/(?<= through the proxy, )[\d,]+(?= with reads or writes)/, can('read', 'write')],
    [/(?<=Mortise reads or writes )[\d,]+(?= providers\.)/, can('read', 'write')],
    [/(?<=- \*\*\[)[\d,]+(?= providers\]\(docs\/providers\.md\)\*\*)/, entries.length],
    [/(?<=: )[\d,]+(?= to read from)/, can('read')],
    [/(?<= )[\d,]+(?= to write to)/, can('write')],
    [/(?<= )[\d,]+(?= to delete in)/, can('delete')],
    [/(?<= )[\d,]+(?= to search)/, can('search')],
    [/(?<= )[\d,]+(?= to subscribe to)/, can('subscribe')],
    [/(?<= )[\d,]+(?= for the proxy)/, can('proxy')],
    [/(?<=verified webhooks of )[\d,]+(?= providers)/, webhooks],
  ]
  return counts.reduce((text, [sentence, count]) => {
    if (!sentence.test(text)) throw new Error(`README.md has no ${sentence}.`)
    return text.replace(sentence, count.toLocaleString('en-US'))
  }, readme)
}
