import { allWebhooks } from '../interpreter/webhooks/webhooks-of.ts'
import { canAttach } from './can-attach.ts'
import type { Capabilities, ModuleEntry, ProviderEntry, SubscribeSupport, Support } from './entry.ts'
import { isReadObject, type ObjectSet, type ProviderFile, type ProviderFileOutline } from './format/provider-file.ts'
import type { DeclaredSupport } from './format/support.ts'
import type { Webhooks } from './format/webhooks.ts'
import { scopesOfFile } from './object-scopes.ts'

/** An entry without what reads its objects: plain data. */
export type EntryHead = Omit<ProviderEntry, 'file'>

const flags = ['read', 'write', 'delete', 'proxy', 'subscribe', 'search'] as const
const bulkOperations = ['insert', 'update', 'upsert', 'delete'] as const

/** The catalog's description of the provider of a file that passed every check. */
export function makeEntry(outline: ProviderFileOutline, file: ProviderFile, origin: 'builtIn' | 'user'): EntryHead {
  const authentication = outline.authentication ?? []
  const baseUrl = outline.baseUrl ?? ''
  const canProxy = (baseUrlPath: string, { proxy }: DeclaredSupport = {}) =>
    proxy !== false &&
    authentication.some(canAttach) &&
    outline.placeholders?.includes(baseUrlPath) !== true &&
    baseUrl !== ''
  const webhooks = allWebhooks({ file })
  const subscribeSupport = subscribeSupportOf(webhooks)
  const modules: Record<string, ModuleEntry> = {}
  for (const [id, module] of Object.entries(outline.modules ?? {})) {
    const baseUrlPath = module.baseUrl === undefined ? 'baseUrl' : `modules.${id}.baseUrl`
    const own = module.webhooks ?? outline.webhooks
    const ownSupport = subscribeSupportOf(own ? [own] : [])
    const implemented = {
      ...implementedBy([file.sets.get(id)], canProxy(baseUrlPath, module.support)),
      subscribe: own !== undefined,
    }
    modules[id] = {
      displayName: module.displayName ?? id,
      baseUrl: module.baseUrl ?? baseUrl,
      support: { ...supportOf(module.support, implemented), ...(ownSupport && { subscribeSupport: ownSupport }) },
      implemented,
      ...(module.subscribeRequirements && { subscribeRequirements: module.subscribeRequirements }),
    }
  }
  const implemented = {
    ...implementedBy([...file.sets.values()], canProxy('baseUrl', outline.support)),
    subscribe: webhooks.length > 0,
  }
  const objects = closedObjects(file)
  const onlyWritten = onlyWrittenObjects(file)
  const reportsDeletions = objectsWithDeletions(file)
  const signalsChanges = signalingObjects(webhooks)
  const objectScopes = scopesOfFile(file)
  const { docsUrl, confidence, defaultModule, healthCheck, variables, postAuthentication, labels, appMetadata } =
    outline
  const { postAuthInfoNeeded, subscribeRequirements, rateLimit } = outline
  return {
    name: outline.name,
    displayName: outline.displayName ?? outline.name,
    authType: authentication[0]?.scheme ?? 'none',
    authentication,
    baseUrl,
    support: { ...supportOf(outline.support, implemented), ...(subscribeSupport && { subscribeSupport }) },
    implemented,
    modules,
    inputs: outline.inputs ?? [],
    origin,
    ...(defaultModule !== undefined && { defaultModule }),
    ...(healthCheck && { healthCheck }),
    ...(rateLimit && { rateLimits: [rateLimit].flat() }),
    ...(docsUrl !== undefined && { docsUrl }),
    ...(confidence !== undefined && { confidence }),
    ...(variables && { variables }),
    ...(postAuthInfoNeeded !== undefined && { postAuthInfoNeeded }),
    ...(postAuthentication && { postAuthentication }),
    ...(subscribeRequirements && { subscribeRequirements }),
    ...(appMetadata && { appMetadata: { authQueryParams: [], providerParams: [], ...appMetadata } }),
    ...(labels && { labels }),
    ...(objects && { objects }),
    ...(onlyWritten.length > 0 && { onlyWritten }),
    ...(reportsDeletions.length > 0 && { reportsDeletions }),
    ...(signalsChanges.length > 0 && { signalsChanges }),
    ...(objectScopes && { objectScopes }),
  }
}

function implementedBy(sets: readonly (ObjectSet | undefined)[], proxy: boolean): Capabilities {
  const objects = sets.flatMap((set) =>
    set === undefined ? [] : [...set.objects.values(), ...set.others.map(({ object }) => object)],
  )
  const facets = objects.flatMap(({ write }) => write ?? [])
  const write = facets.some(({ create, update }) => create !== undefined || update !== undefined)
  const search = objects.some((object) => object.search !== undefined)
  return {
    read: objects.some(isReadObject),
    write,
    delete: facets.some((one) => one.delete !== undefined),
    proxy,
    subscribe: false,
    search,
  }
}

/**
 * What is not declared is not supported, unless it is implemented. Objects that can be read count whatever is declared;
 * a provider that is declared to have no proxy has none here either.
 */
function supportOf(declared: DeclaredSupport = {}, implemented: Capabilities): Support {
  const stated = flags.map((flag) => {
    return [flag, declared[flag] || implemented[flag]] as const
  })
  const bulk = bulkOperations.map((operation) => [operation, declared.bulkWrite?.includes(operation) === true] as const)
  return {
    ...(Object.fromEntries(stated) as unknown as Capabilities),
    bulkWrite: Object.fromEntries(bulk) as Support['bulkWrite'],
    batchWrite: declared.batchWrite ?? {},
  }
}

/**
 * What events of records say, of whichever objects they tell; events by the provider's names can be subscribed to
 * wherever any can. A read that follows a signal finds new and changed records.
 */
function subscribeSupportOf(all: readonly Webhooks[]): SubscribeSupport | undefined {
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
function signalingObjects(all: readonly Webhooks[]): string[] {
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
