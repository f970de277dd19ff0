import { sourceIn } from '../interpreter/webhooks/event-source.ts'
import { allEventSources } from '../interpreter/webhooks/webhooks-of.ts'
import { appValuesOf } from './app-values.ts'
import { canAttach } from './can-attach.ts'
import type { Capabilities, ModuleEntry, ProviderEntry, SubscribeSupport, Support } from './entry.ts'
import type { Authentication } from './format/authentication.ts'
import {
  isReadObject,
  type ObjectSet,
  type ProviderFile,
  type ProviderFileOutline,
  type ProviderObject,
} from './format/provider-file.ts'
import type { Undescribed } from './format/support.ts'
import type { EventSource } from './format/webhooks.ts'
import { scopesOfFile } from './object-scopes.ts'

/** An entry without what reads its objects: plain data. */
export type EntryHead = Omit<ProviderEntry, 'file'>

/** The catalog's description of the provider of a file that passed every check. */
export function makeEntry(outline: ProviderFileOutline, file: ProviderFile, origin: 'builtIn' | 'user'): EntryHead {
  const authentication = outline.authentication ?? []
  const baseUrl = outline.baseUrl ?? ''
  const sources = allEventSources({ file })
  const modules: Record<string, ModuleEntry> = {}
  for (const [id, module] of Object.entries(outline.modules ?? {})) {
    const set = file.sets.get(id)
    const own = sourceIn(module) ?? sourceIn(outline)
    modules[id] = {
      displayName: module.displayName ?? id,
      baseUrl: module.baseUrl ?? baseUrl,
      ...supportOf(outline, {
        sets: set ? [set] : [],
        sources: own ? [own] : [],
        baseUrlPath: module.baseUrl === undefined ? 'baseUrl' : `modules.${id}.baseUrl`,
        undescribed: module.undescribed,
      }),
      ...(module.subscribeRequirements && { subscribeRequirements: module.subscribeRequirements }),
    }
  }
  const objects = closedObjects(file)
  const onlyWritten = onlyWrittenObjects(file)
  const reportsDeletions = objectsWithDeletions(file)
  const signalsChanges = signalingObjects(sources)
  const objectScopes = scopesOfFile(file)
  const appValues = appValuesOf(outline)
  const { docsUrl, confidence, defaultModule, healthCheck, variables, postAuthentication, labels, appMetadata } =
    outline
  const { postAuthInfoNeeded, subscribeRequirements, rateLimit, undescribed, documented, connected, mcp, seeAlso } =
    outline
  return {
    name: outline.name,
    displayName: outline.displayName ?? outline.name,
    authType: authentication[0]?.scheme ?? 'none',
    authentication,
    baseUrl,
    ...supportOf(outline, { sets: [...file.sets.values()], sources, baseUrlPath: 'baseUrl', undescribed }),
    modules,
    inputs: outline.inputs ?? [],
    origin,
    ...(defaultModule !== undefined && { defaultModule }),
    ...(healthCheck && { healthCheck }),
    ...(mcp && { mcp }),
    ...(discovers(authentication[0]) && { needsNoApp: true }),
    ...(rateLimit && { rateLimits: [rateLimit].flat() }),
    ...(docsUrl !== undefined && { docsUrl }),
    ...(confidence !== undefined && { confidence }),
    ...(documented && { documented }),
    ...(connected && { connected }),
    ...(seeAlso && !hasObjects(file) && { seeAlso }),
    ...(variables && { variables }),
    ...(postAuthInfoNeeded !== undefined && { postAuthInfoNeeded }),
    ...(postAuthentication && { postAuthentication }),
    ...(subscribeRequirements && { subscribeRequirements }),
    ...(appMetadata && { appMetadata: { authQueryParams: [], providerParams: [], ...appMetadata } }),
    ...(appValues.length > 0 && { appValues }),
    ...(labels && { labels }),
    ...(objects && { objects }),
    ...(onlyWritten.length > 0 && { onlyWritten }),
    ...(reportsDeletions.length > 0 && { reportsDeletions }),
    ...(signalsChanges.length > 0 && { signalsChanges }),
    ...(objectScopes && { objectScopes }),
  }
}

function hasObjects({ sets }: ProviderFile): boolean {
  return [...sets.values()].some(({ objects, others }) => objects.size + others.length > 0)
}

function discovers(scheme: Authentication | undefined): boolean {
  return scheme?.scheme === 'oauth2' && scheme.discover !== undefined
}

/** What is derived from objects of the whole provider, or of one module. */
interface Supporting {
  sets: readonly ObjectSet[]
  sources: readonly EventSource[]
  /** Path, in the file, of the base URL that the proxy uses. */
  baseUrlPath: string
  undescribed: Undescribed | undefined
}

function supportOf(
  outline: ProviderFileOutline,
  { sets, sources, baseUrlPath, undescribed = [] }: Supporting,
): Support {
  const objects = sets.flatMap((set) => [...set.objects.values(), ...set.others.map(({ object }) => object)])
  const facets = objects.flatMap(({ write }) => write ?? [])
  const implemented: Capabilities = {
    read: objects.some(isReadObject),
    write: facets.some(({ create, update }) => create !== undefined || update !== undefined),
    delete: facets.some((facet) => facet.delete !== undefined),
    proxy: canProxy(outline, baseUrlPath),
    subscribe: sources.length > 0,
    search: objects.some((object) => object.search !== undefined),
  }
  const batchWrite = batchWriteOf(objects)
  const operations = facets.flatMap(({ job }) => job?.operations ?? [])
  const subscribeSupport = subscribeSupportOf(sources)
  const missing = undescribed.filter((action) => !implemented[action])
  return {
    implemented,
    ...(missing.length > 0 && { undescribed: missing }),
    ...(batchWrite && { batchWrite }),
    ...(operations.length > 0 && {
      bulkWrite: {
        create: operations.some(({ create }) => create !== undefined),
        update: operations.some(({ update }) => update !== undefined),
      },
    }),
    ...(subscribeSupport && { subscribeSupport }),
  }
}

/** Whether the base URL is known, and Mortise can put a credential on a request. */
function canProxy(
  { authentication = [], baseUrl = '', placeholders = [] }: ProviderFileOutline,
  path: string,
): boolean {
  return baseUrl !== '' && !placeholders.includes(path) && authentication.some(canAttach)
}

/** The number that every object with batches accepts. */
function batchWriteOf(objects: readonly ProviderObject[]): Support['batchWrite'] {
  const most = (operation: 'create' | 'update') => {
    const numbers = objects.flatMap(({ write }) => write?.batch?.[operation]?.max ?? [])
    return numbers.length > 0 ? { [operation]: Math.min(...numbers) } : {}
  }
  const batchWrite = { ...most('create'), ...most('update') }
  return Object.keys(batchWrite).length > 0 ? batchWrite : undefined
}

/**
 * What events of records say, of whichever objects they tell; events by the provider's names can be subscribed to
 * wherever any can. A read that follows a signal finds new and changed records.
 */
function subscribeSupportOf(all: readonly EventSource[]): SubscribeSupport | undefined {
  if (all.length === 0) return undefined
  const declared = all.flatMap(({ objects = {}, otherObjects }) =>
    [...Object.values(objects), otherObjects ?? []].flat(),
  )
  const declares = (...kinds: ('create' | 'update' | 'delete' | 'changed')[]) =>
    declared.some((events) => kinds.some((kind) => (events[kind] ?? []).length > 0))
  return {
    create: declares('create', 'changed'),
    update: declares('update', 'changed'),
    delete: declares('delete'),
    passThrough: true,
  }
}

/** Names of objects whose events say only that records changed. */
function signalingObjects(all: readonly EventSource[]): string[] {
  const names = all.flatMap(({ objects = {} }) =>
    Object.entries(objects).flatMap(([name, { changed = [] }]) => (changed.length > 0 ? [name] : [])),
  )
  return [...new Set(names)].sort()
}

/** All object names of all modules; `undefined` when objects exist that no list names, or none are known at all. */
function closedObjects(file: ProviderFile): string[] | undefined {
  const sets = [...file.sets.values()]
  if (sets.some(({ others }) => others.length > 0)) return undefined
  const names = new Set(sets.flatMap(({ objects }) => [...objects.keys()]))
  return names.size === 0 ? undefined : [...names].sort()
}

/** Names that are in no module those of records to list. */
function onlyWrittenObjects(file: ProviderFile): string[] {
  const all = [...file.sets.values()].flatMap(({ objects }) => [...objects])
  const read = new Set(all.filter(([, object]) => isReadObject(object)).map(([name]) => name))
  return [...new Set(all.map(([name]) => name))].filter((name) => !read.has(name)).sort()
}

function objectsWithDeletions(file: ProviderFile): string[] {
  const names = [...file.sets.values()].flatMap(({ objects, others }) => [
    ...[...objects].flatMap(([name, object]) => (object.deletions === undefined ? [] : [name])),
    ...others.flatMap(({ object }) => (object.deletions === undefined ? [] : ['*'])),
  ])
  return [...new Set(names)].sort()
}
