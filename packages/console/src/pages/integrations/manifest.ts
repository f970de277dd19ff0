import type { Item, Output } from '@mortise/client'
import { parse, stringify } from 'yaml'

export type Integration = Output<'getIntegration'>
export type Revision = Item<'listRevisions'>
type Content = Record<string, unknown>

/** Pages beside those of integrations. An integration of such a name is linked by its id. */
const reserved = ['deploy', 'environments']

/** The address of an integration in the console. */
export function integrationPath(project: string, { id, name }: { id: string; name: string }): string {
  const ref = reserved.includes(name) ? id : name
  return `/${project}/integrations/${encodeURIComponent(ref)}`
}

/** A revision as the manifest of one integration. Comments of the deployed text are not stored. */
export function manifestOf({ specVersion, content }: { specVersion: string; content: object }): string {
  return stringify({ specVersion, integrations: [content] }, { lineWidth: 0 })
}

/** The same text for contents that differ only in the order of their keys. */
export function canonical(value: unknown): string {
  return JSON.stringify(value, (_, item: unknown) =>
    typeof item === 'object' && item !== null && !Array.isArray(item)
      ? Object.fromEntries(Object.entries(item).toSorted(([one], [other]) => (one < other ? -1 : 1)))
      : item,
  )
}

export function isSame(one: Revision, other: Revision): boolean {
  return one.specVersion === other.specVersion && canonical(one.content) === canonical(other.content)
}

/** The integrations that a text declares; undefined while it is no manifest. */
export function integrationsIn(yaml: string): { specVersion: string; contents: Content[] } | undefined {
  try {
    const manifest = parse(yaml) as { specVersion?: unknown; integrations?: unknown } | null
    if (!Array.isArray(manifest?.integrations)) return undefined
    const contents = manifest.integrations.filter(
      (one): one is Content => typeof one === 'object' && one !== null && typeof (one as Content)['name'] === 'string',
    )
    return { specVersion: String(manifest.specVersion ?? ''), contents }
  } catch {
    // Findings say where it does not parse.
    return undefined
  }
}

/** What an integration does, such as "read". */
export const actions = ['read', 'write', 'subscribe', 'search', 'proxy'] as const
export type Action = (typeof actions)[number]

export function objectsOf(content: object, action: Action): string[] {
  const part = (content as Record<string, { objects?: { objectName?: unknown }[] } | undefined>)[action]
  if (!Array.isArray(part?.objects)) return []
  return part.objects.map(({ objectName }) => String(objectName))
}

export function doesOf(content: object): Action[] {
  const parts = content as Record<string, { enabled?: boolean } | undefined>
  return actions.filter((action) => (action === 'proxy' ? parts['proxy']?.enabled === true : parts[action]))
}

/** What one deployed integration becomes when a text is deployed. */
export interface Change {
  name: string
  kind: 'new' | 'changed' | 'same'
  before: string
  after: string
  /** Objects that are read now, and that the text does not read. */
  removedReads: string[]
  addedReads: string[]
  deployed: Integration | undefined
}

export function changesOf(yaml: string, deployed: readonly Integration[]): Change[] | undefined {
  const wanted = integrationsIn(yaml)
  if (!wanted) return undefined
  return wanted.contents.map((content): Change => {
    const name = String(content['name'])
    const known = deployed.find((integration) => integration.name === name)
    const revision = { specVersion: wanted.specVersion, content }
    const before = known?.latestRevision
    const same =
      before && before.specVersion === revision.specVersion && canonical(before.content) === canonical(content)
    const [now, then] = [objectsOf(before?.content ?? {}, 'read'), objectsOf(content, 'read')]
    return {
      name,
      kind: known === undefined ? 'new' : same ? 'same' : 'changed',
      before: before ? manifestOf(before) : '',
      after: manifestOf(revision),
      removedReads: now.filter((object) => !then.includes(object)),
      addedReads: then.filter((object) => !now.includes(object)),
      deployed: known,
    }
  })
}
