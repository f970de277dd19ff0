import type { Located } from './located.ts'
import type { YamlText } from './read-yaml.ts'

/** Whether advice of this rule at this line was silenced by its author. */
export type IsIgnored = (rule: string, line: number) => boolean

interface Directive {
  from: number
  to: number
  /** `undefined`: all rules. */
  rules: ReadonlySet<string> | undefined
}

/** More than anyone writes by hand; each is compared with each piece of advice. */
const DIRECTIVES_MAX = 1000
const DIRECTIVE = /^#\s*(?:mortise|amp):ignore(?:\s*\[([^\]]*)\])?(?=\s|$)/

/**
 * The comments `# mortise:ignore` and `# mortise:ignore[rule, rule]` (also spelled `amp:ignore`), on the line of a key
 * or list item or above it, silence advice there and in all that is nested in it.
 */
export function readIgnoreDirectives(comments: YamlText['comments'], root: Located): IsIgnored {
  const directives: Directive[] = []
  let extents: ReadonlyMap<number, number> | undefined
  let below = { line: 0, target: 0 }

  // From the last to the first, so that a block of comments finds the line below it in one step each.
  for (const { line, text, ownLine } of comments.toReversed()) {
    const from = ownLine ? (below.line === line + 1 ? below.target : line + 1) : line
    if (ownLine) below = { line, target: from }
    const match = DIRECTIVE.exec(text)
    if (match === null || directives.length === DIRECTIVES_MAX) continue
    extents ??= readExtents(root)
    const rules = match[1]?.split(',').map((rule) => rule.trim())
    directives.push({ from, to: extents.get(from) ?? from, rules: rules && new Set(rules) })
  }
  return (rule, line) =>
    directives.some(({ from, to, rules }) => line >= from && line <= to && (rules === undefined || rules.has(rule)))
}

/** For each line on which a key or a list item begins: the last line of what begins there. */
function readExtents(root: Located): ReadonlyMap<number, number> {
  const extents = new Map<number, number>()
  const visit = (value: Located, begin: number): number => {
    let end = Math.max(begin, value.place.line)
    if (value.kind === 'map')
      for (const entry of value.entries) end = Math.max(end, note(entry.value, entry.keyLocation.line))
    if (value.kind === 'list') for (const item of value.items) end = Math.max(end, note(item, item.place.line))
    return end
  }
  const note = (value: Located, begin: number): number => {
    const end = visit(value, begin)
    extents.set(begin, Math.max(extents.get(begin) ?? 0, end))
    return end
  }
  visit(root, root.place.line)
  return extents
}
