import { readdirSync } from 'node:fs'
import { parse } from 'node:path'
import type { Capabilities, ProviderEntry } from '../src/catalogue/entry.ts'
import { type Evidence, evidenceOf } from '../src/catalogue/evidence.ts'
import type { CustomAuthentication } from '../src/catalogue/format/custom-authentication.ts'
import type { ObjectSet } from '../src/catalogue/format/provider-file.ts'
import { unscopedObjects } from '../src/catalogue/unscoped-objects.ts'

const capabilities: readonly (keyof Capabilities)[] = ['read', 'write', 'delete', 'proxy', 'subscribe', 'search']

/** How many providers authenticate how, and what can be done there: the tables of docs/providers.md. */
export function countsPage(entries: readonly ProviderEntry[]): string {
  const ways = countBy(entries.flatMap(waysOf))
  const rows = [...ways].sort(([, a], [, b]) => b - a).map(([way, count]) => `| ${way} | ${count} |`)
  const can = capabilities.map((capability) => {
    return `| ${capability} | ${entries.filter(({ implemented }) => implemented[capability]).length} |`
  })
  const modules = entries.filter((entry) => Object.keys(entry.modules).length > 0)
  return [
    `${entries.length} providers:`,
    '',
    '| First way to authenticate | Providers |',
    '| --- | --- |',
    ...rows,
    '',
    '| Capability | Providers |',
    '| --- | --- |',
    ...can,
    '',
    `${modules.length} have modules (${modules.reduce((sum, entry) => sum + Object.keys(entry.modules).length, 0)} in all), ${
      entries.filter(({ inputs }) => inputs.length > 0).length
    } ask each customer for more than a credential, ${entries.filter(({ healthCheck }) => healthCheck).length} have a health check.`,
    '',
    withoutCode(entries),
    '',
    compared(entries),
    '',
    scopes(entries),
    '',
  ].join('\n')
}

/** How many entries are based on what: the table under "Checked and unchecked entries" of docs/providers.md. */
export function evidenceTable(entries: readonly ProviderEntry[]): string {
  const rows = Object.entries(evidenceWords).map(([kind, words]) => {
    return `| \`${kind}\` | ${words} | ${entries.filter((entry) => evidenceOf(entry).kind === kind).length} |`
  })
  return `| \`evidence.kind\` | Meaning | Providers |\n|---|---|---|\n${rows.join('\n')}\n`
}

const evidenceWords: Record<Evidence['kind'], string> = {
  account: 'somebody tested the entry with an account',
  documentation: 'authentication or objects were compared with the documentation of the provider',
  twoSources: 'two independent sources say the same',
  oneSource: 'one source says how to connect',
  none: 'no test or comparison is recorded',
}

/** A provider with code would have a file of its own beside its YAML: docs/decisions/0034. */
function withoutCode(entries: readonly ProviderEntry[]): string {
  const folder = new URL('../providers/', import.meta.url)
  const code = new Set(
    readdirSync(folder)
      .filter((file) => !file.endsWith('.yaml'))
      .map((file) => parse(file).name),
  )
  const used = entries.filter(({ file }) => [...(file?.sets.values() ?? [])].some(isUsed))
  const declared = used.filter(({ name }) => !code.has(name)).length
  return `Objects of ${used.length} providers are read, written or both; ${declared} of these providers are their file alone, without code.`
}

/** How many of the files that read or write say what of them was compared with documentation, and when. */
function compared(entries: readonly ProviderEntry[]): string {
  const used = entries.filter(({ file }) => [...(file?.sets.values() ?? [])].some(isUsed))
  const documented = used.filter((entry) => entry.documented !== undefined).length
  const rows = comparedParts.map((part) => {
    const counts = (['parts', 'absent', 'undocumented'] as const).map(
      (key) => used.filter((entry) => entry.documented?.[key]?.includes(part)).length,
    )
    const others = counts.reduce((left, count) => left - count, used.length)
    return `| \`${part}\` | ${[...counts, others].join(' | ')} |`
  })
  return `\`documented\` in ${documented} of these files says what was compared with the provider's documentation, and on which day.

| Part | Compared | Not in the API | No documentation found | Not compared |
|---|---|---|---|---|
${rows.join('\n')}`
}

/** How many objects of OAuth files name the scopes that they need, and why the others do not. */
function scopes(entries: readonly ProviderEntry[]): string {
  const files = entries.flatMap((entry) => {
    const unscoped = unscopedObjects(entry)
    const sets = [...(entry.file?.sets.values() ?? [])]
    const total = sets.reduce((sum, { objects, others }) => sum + objects.size + others.length, 0)
    return unscoped === undefined ? [] : [{ unscoped, total }]
  })
  const unscoped = files.flatMap((file) => file.unscoped)
  const total = files.reduce((sum, file) => sum + file.total, 0)
  const rows = Object.entries(scopeWords).map(([why, words]) => {
    return `| ${words} | ${unscoped.filter((object) => (object.why ?? 'open') === why).length} |`
  })
  return `${files.length} files have OAuth and objects, ${total} objects in all. Which scopes their actions need:

| OAuth scopes | Objects |
|---|---|
| named for each action | ${total - unscoped.length} |
${rows.join('\n')}`
}

const scopeWords = {
  none: 'the provider needs none for it, or the app has them',
  one: 'the provider has one for everything',
  undocumented: 'no public documentation found for some actions',
  open: 'not compared for some actions',
}

const comparedParts = ['objects', 'paging', 'windows', 'deletions', 'limits', 'webhooks'] as const

function isUsed({ objects, others }: ObjectSet): boolean {
  return objects.size + others.length > 0
}

/** The preferred scheme with what tells its kinds apart: the grant, or where the credential goes. */
function waysOf({ authentication }: ProviderEntry): string[] {
  const [scheme] = authentication
  if (scheme === undefined) return []
  switch (scheme.scheme) {
    case 'oauth2':
      return [`\`oauth2/${scheme.grantType ?? 'authorizationCode'}\``]
    case 'apiKey':
      return [`\`apiKey\`, ${{ header: 'in a header', query: 'as query parameter', basic: 'by basic' }[scheme.attach]}`]
    case 'custom':
      return [`\`custom\`, ${customKind(scheme)}`]
    default:
      return [`\`${scheme.scheme}\``]
  }
}

function customKind({ multiStep, token, headers, query }: CustomAuthentication): string {
  if (multiStep === true) return 'in several steps'
  if (token !== undefined) return 'by a token that is asked for'
  return (headers ?? query) === undefined ? 'what is carried is not known' : 'inputs in headers or parameters'
}

function countBy(words: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>()
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1)
  return counts
}
