import type { ContentChange, IntegrationContent } from '@mortise/manifest'
import { pluralize } from '../pluralize.ts'
import { printable } from '../terminal/print.ts'
import type { Terminal } from '../terminal/terminal.ts'
import type { Plan, PlannedIntegration } from './plan.ts'

const signs = { added: '+', removed: '-', changed: '~' } as const

/** What a deploy would change: an integration, then a line for each object and field. Empty where nothing changes. */
export function planText({ integrations }: Plan, colors: Terminal['out']): string {
  return integrations
    .filter(({ change }) => change !== 'same')
    .map((integration) => integrationText(integration, colors))
    .join('')
}

/** `3 installations: Acme, Globex, Initech` */
export function installationsText({ count, groups }: PlannedIntegration['installations']): string {
  const more = count > groups.length ? ', …' : ''
  return `${pluralize(count, 'installation')}${groups.length > 0 ? `: ${groups.join(', ')}${more}` : ''}`
}

function integrationText(integration: PlannedIntegration, colors: Terminal['out']): string {
  const { name, provider, change, changes, installations } = integration
  const kind = change === 'added' ? 'added' : 'changed'
  const head = coloured(colors, kind)(`${signs[kind]} ${printable(name)}`)
  const reached = installations.count > 0 ? `, ${printable(installationsText(installations))}` : ''
  const lines = changes.flatMap(agentParts).map((one) => `    ${changeText(one, colors)}\n`)
  return `${head} ${colors.dim(`(${printable(provider)}${reached})`)}\n${lines.join('')}`
}

/** What an agent that is new or deleted may use: a line for each object, with its actions, and for each tool. */
function agentParts(change: ContentChange): ContentChange[] {
  const { kind, path, before, after } = change
  if (kind === 'changed' || path.join() !== 'agent') return [change]
  const { objects = [], tools = [], providerTools = [] } = (after ?? before) as Agent
  const side = kind === 'added' ? 'after' : 'before'
  return [
    ...objects.map(({ objectName, actions }) => ({ kind, path: ['agent', objectName, 'actions'], [side]: actions })),
    ...tools.map(({ name }) => ({ kind, path: ['agent', name] })),
    ...providerTools.map(({ toolName }) => ({ kind, path: ['agent', toolName] })),
  ]
}

type Agent = Partial<NonNullable<IntegrationContent['agent']>>

function changeText({ kind, path, before, after }: ContentChange, colors: Terminal['out']): string {
  const [first = '', object, ...rest] = path
  const location = [
    first,
    ...(object === undefined ? [] : [object]),
    ...(rest.length > 0 ? [rest.join('.')] : []),
  ].join(' ')
  const value = path.length === 2 ? '' : valueText(kind, before, after)
  return coloured(colors, kind)(printable(`${signs[kind]} ${location}${value}`))
}

function valueText(kind: ContentChange['kind'], before: unknown, after: unknown): string {
  if (kind === 'changed') return `: ${short(before)} → ${short(after)}`
  return `: ${short(kind === 'added' ? after : before)}`
}

function short(value: unknown): string {
  const text = JSON.stringify(value)
  return text.length > 60 ? `${text.slice(0, 59).toWellFormed()}…` : text
}

function coloured({ green, red, yellow }: Terminal['out'], kind: ContentChange['kind']) {
  return { added: green, removed: red, changed: yellow }[kind]
}
