import type { ProviderEntry } from '../catalogue/entry.ts'
import type { ProviderObject } from '../catalogue/format/provider-file.ts'
import { declaredWebhooks } from './declared-webhooks.ts'
import { declaredStreams } from './stream-cases.ts'

/** A part of the file that the stand-in does not try. */
export interface Untested {
  what: string
  because: string
}

/** Parts of objects that the stand-in does not try, and why. */
const partsOfObjects: [what: string, has: (object: ProviderObject) => boolean, because: string][] = [
  ['search', ({ search }) => search !== undefined, 'the stand-in does not filter'],
  ['new fields', ({ makeFields }) => makeFields !== undefined, 'the stand-in has no fields'],
]

/**
 * Returns what a file declares and the stand-in does not try.
 *
 * @param isChosen whether an object is part of the test
 */
export function untestedParts(entry: ProviderEntry, isChosen: (name: string) => boolean): Untested[] {
  const sets = [...(entry.file?.sets ?? [])]
  const objects = sets.flatMap(([, set]) => [
    ...[...set.objects].map(([name, object]) => ({ name, object })),
    ...set.others.map(({ match, object }) => ({ name: match.source, object })),
  ])
  const ofObjects = partsOfObjects.flatMap(([what, has, because]) => {
    const names = objects.flatMap(({ name, object }) => (isChosen(name) && has(object) ? [name] : []))
    return names.length === 0 ? [] : [{ what: `${what} of ${listed(names)}`, because }]
  })
  const { authentication, healthCheck, mcp, postAuthentication = [] } = entry
  const signsIn = authentication.some(({ scheme }) => scheme === 'oauth2')
  const hasStream = declaredStreams(entry).length > 0
  const lists = declaredWebhooks(entry).some(({ webhooks }) => webhooks.registration?.each !== undefined)
  return [
    ...ofObjects,
    ...(signsIn ? [{ what: 'sign-in with OAuth', because: 'the stand-in has no authorization server' }] : []),
    ...(healthCheck === undefined ? [] : [{ what: 'health check', because: 'the file does not say what it returns' }]),
    ...(postAuthentication.length === 0
      ? []
      : [{ what: 'postAuthentication', because: 'the file does not say what the account is' }]),
    ...(hasStream ? [{ what: 'protocol of the stream', because: 'the stand-in speaks no gRPC' }] : []),
    ...(lists ? [{ what: 'registration.each', because: 'the stand-in has no such list' }] : []),
    ...(mcp === undefined ? [] : [{ what: 'MCP server', because: 'the stand-in has no tools' }]),
  ]
}

const namesMax = 3

function listed(names: readonly string[]): string {
  const rest = names.length - namesMax
  return `${names.slice(0, namesMax).join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`
}
