import { nearest } from '@mortise/manifest'
import type { Issue } from '../../../kernel/http/index.ts'
import { type DestinationKind, installRemedy, type KindServices, missingPackages, secretNames } from '../kinds/index.ts'

/** The settings of a kind lie in two objects of a request: those in `secrets` are never shown again. */
export interface GivenSettings {
  metadata?: Record<string, unknown> | undefined
  secrets?: Record<string, unknown> | undefined
}

type Kind = Pick<DestinationKind, 'properties' | 'secretProperties'>

/** Joins the settings of a request, as kinds read them. Of each name, only the object that it belongs to counts. */
export function joinSettings(kind: Kind, { metadata = {}, secrets = {} }: GivenSettings): Record<string, unknown> {
  const names = secretNames(kind)
  const kept = Object.entries(metadata).filter(([name]) => !names.includes(name))
  const secret = Object.entries(secrets).filter(([name]) => names.includes(name))
  return Object.fromEntries([...kept, ...secret])
}

/**
 * Returns an issue for each setting that a destination of the kind does not have, or not in this object. A new
 * destination would otherwise lack what a misspelled name was meant to set.
 */
export function unknownSettings(
  kind: Pick<DestinationKind, 'name' | 'properties' | 'secretProperties'>,
  given: GivenSettings,
): Issue[] {
  const secrets = secretNames(kind)
  const names = { metadata: Object.keys(kind.properties).filter((name) => !secrets.includes(name)), secrets }
  return (['metadata', 'secrets'] as const).flatMap((part) => {
    const other = part === 'metadata' ? 'secrets' : 'metadata'
    return Object.entries(given[part] ?? {}).flatMap(([name, value]): Issue[] => {
      // Clients of languages without optional values send null.
      if (value === null || names[part].includes(name)) return []
      const issue = { in: 'body' as const, name: `${part}.${name}` }
      if (names[other].includes(name))
        return [{ ...issue, detail: `${name} belongs to ${other}.`, remedy: `Move it to ${other}.` }]
      const meant = nearest(name, names[part])
      return [
        {
          ...issue,
          detail: `A destination of type ${kind.name} has no setting ${JSON.stringify(name.slice(0, 100))} in ${part}.`,
          remedy: meant === undefined ? `Settings: ${names[part].join(', ') || 'none'}.` : `Did you mean ${meant}?`,
        },
      ]
    })
  })
}

/**
 * Reads settings that were joined, and names each issue by where the request has the setting.
 *
 * @param at path of `metadata` and `secrets` in the request: empty, or with a dot at its end
 */
export function readJoined(
  kind: DestinationKind,
  input: Record<string, unknown>,
  at: string,
  services: Pick<KindServices, 'guard'>,
): { settings: object; issues: Issue[] } {
  const { settings, issues } = kind.readSettings(input, `${at}metadata`, services)
  return { settings, issues: [...packageIssues(kind, at), ...issues.map((issue) => placed(kind, issue, at))] }
}

/** A destination whose client is not installed would deliver nothing. */
function packageIssues(kind: DestinationKind, at: string): Issue[] {
  const detail = missingPackages(kind)
  return detail === undefined ? [] : [{ in: 'body', name: `${at}type`, detail, remedy: installRemedy }]
}

function placed(kind: Kind, issue: Issue, at: string): Issue {
  const secret = secretNames(kind).find((name) => issue.name === `${at}metadata.${name}`)
  if (secret === undefined) return issue
  const [from, name] = [`${at}metadata.${secret}`, `${at}secrets.${secret}`]
  return {
    ...issue,
    name,
    detail: issue.detail.replaceAll(from, name),
    ...(issue.remedy !== undefined && { remedy: issue.remedy.replaceAll(from, name) }),
  }
}
