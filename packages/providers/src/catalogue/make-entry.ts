import type { Capabilities, ModuleEntry, ProviderEntry, ProviderNotes, Support } from './entry.ts'
import type { Authentication } from './format/authentication.ts'
import type { MetadataInput } from './format/metadata-input.ts'
import type { ObjectSet, ProviderFile, ProviderFileOutline } from './format/provider-file.ts'
import type { HealthCheck } from './format/request.ts'

/** One provider of `catalogue.generated.json`. */
export interface Facts extends ProviderNotes {
  name: string
  displayName: string
  authType: string
  authentication: Authentication[]
  baseUrl: string
  support: Support
  modules: Record<string, Omit<ModuleEntry, 'implemented'>>
  defaultModule?: string
  inputs: MetadataInput[]
  healthCheck?: HealthCheck
}

const nothing: Capabilities = {
  read: false,
  write: false,
  delete: false,
  proxy: false,
  subscribe: false,
  search: false,
}

const noSupport: Support = {
  ...nothing,
  bulkWrite: { insert: false, update: false, upsert: false, delete: false },
  batchWrite: {},
}

/** A provider that is known and has no connector here. */
export function factsEntry(facts: Facts): ProviderEntry {
  const modules = Object.entries(facts.modules).map(
    ([id, module]) => [id, { ...module, implemented: nothing }] as const,
  )
  return { ...facts, implemented: nothing, modules: Object.fromEntries(modules), origin: 'facts' }
}

/** The file over the facts: what the file leaves out, the facts complete. */
export function fileEntry(
  outline: ProviderFileOutline,
  file: ProviderFile,
  facts: Facts | undefined,
  origin: 'builtIn' | 'user',
): ProviderEntry {
  const authentication = completeSchemes(outline.authentication, facts?.authentication ?? [])
  const baseUrl = outline.baseUrl ?? facts?.baseUrl ?? ''
  const modules: Record<string, ModuleEntry> = {}
  const ids = new Set([...Object.keys(facts?.modules ?? {}), ...Object.keys(outline.modules ?? {})])
  for (const id of ids) {
    const known = facts?.modules[id]
    const declared = outline.modules?.[id]
    const implemented = implementedBy(file.sets.get(id))
    modules[id] = {
      displayName: declared?.displayName ?? known?.displayName ?? id,
      baseUrl: declared?.baseUrl ?? known?.baseUrl ?? baseUrl,
      support: mergeSupport(known?.support, declared?.support, implemented),
      implemented,
      ...(known?.subscribeRequirements && { subscribeRequirements: known.subscribeRequirements }),
    }
  }
  const implemented = { ...nothing, read: [...file.sets.values()].some((set) => implementedBy(set).read) }
  const defaultModule = outline.defaultModule ?? facts?.defaultModule
  const healthCheck = outline.healthCheck ?? facts?.healthCheck
  const objects = closedObjects(file)
  return {
    ...notesOf(facts),
    name: outline.name,
    displayName: outline.displayName ?? facts?.displayName ?? outline.name,
    authType: authentication[0]?.scheme ?? 'none',
    authentication,
    baseUrl,
    support: mergeSupport(facts?.support, outline.support, implemented),
    implemented,
    modules,
    inputs: outline.inputs ?? facts?.inputs ?? [],
    origin,
    file,
    ...(defaultModule === undefined ? {} : { defaultModule }),
    ...(healthCheck === undefined ? {} : { healthCheck }),
    ...(outline.docsUrl === undefined ? {} : { docsUrl: outline.docsUrl }),
    ...(objects === undefined ? {} : { objects }),
  }
}

function notesOf(facts: Facts | undefined): ProviderNotes {
  const { postAuthInfoNeeded, subscribeRequirements, postAuthentication, appMetadata, labels } = facts ?? {}
  return {
    ...(postAuthInfoNeeded !== undefined && { postAuthInfoNeeded }),
    ...(subscribeRequirements && { subscribeRequirements }),
    ...(postAuthentication && { postAuthentication }),
    ...(appMetadata && { appMetadata }),
    ...(labels && { labels }),
  }
}

/** A declared scheme with the facts of the same scheme beneath it. */
function completeSchemes(
  declared: readonly Authentication[] | undefined,
  facts: readonly Authentication[],
): Authentication[] {
  if (declared === undefined) return [...facts]
  return declared.map((scheme) => {
    const known = facts.find((fact) => fact.scheme === scheme.scheme)
    return { ...known, ...scheme } as Authentication
  })
}

function implementedBy(set: ObjectSet | undefined): Capabilities {
  return { ...nothing, read: set !== undefined && set.objects.size + set.others.length > 0 }
}

/** What is implemented is supported, whatever the facts say. */
function mergeSupport(
  facts: Support | undefined,
  declared: Record<string, unknown> | undefined,
  implemented: Capabilities,
): Support {
  const support = { ...noSupport, ...facts }
  for (const capability of Object.keys(nothing) as (keyof Capabilities)[]) {
    const stated = declared?.[capability]
    if (typeof stated === 'boolean') support[capability] = stated
    if (implemented[capability]) support[capability] = true
  }
  return support
}

/** All object names of all modules; `undefined` when objects exist that no list names. */
function closedObjects(file: ProviderFile): string[] | undefined {
  const sets = [...file.sets.values()]
  if (sets.some(({ others }) => others.length > 0)) return undefined
  return [...new Set(sets.flatMap(({ objects }) => [...objects.keys()]))].sort()
}
