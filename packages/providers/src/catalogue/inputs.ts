import { isHostValue, plainUrl, resolveBaseUrl } from '../interpreter/base-url.ts'
import { type InputIssue, InvalidInputs } from '../provider-error.ts'
import type { ProviderEntry } from './entry.ts'
import type { MetadataInput } from './format/metadata-input.ts'
import { valueFault } from './value-fault.ts'

/** Whether customers can connect without a value. */
export function isOptionalInput({ use }: MetadataInput): boolean {
  return use === 'objects' || use === 'optional'
}

/** Returns the inputs that the objects of this module need and the connection has no value for. */
export function missingForObjects(
  entry: ProviderEntry,
  module: string | undefined,
  metadata: Record<string, string>,
): MetadataInput[] {
  return inputsOf(entry, module).filter(
    (input) => input.use === 'objects' && valueFor(input, metadata, undefined) === undefined,
  )
}

/**
 * Returns the inputs that a connection to this module needs and has no value for.
 *
 * @param metadata values by input name; an empty text does not count as a value
 * @param workspaceRef replaces the input `workspace`
 */
export function missingInputs(
  entry: ProviderEntry,
  module: string | undefined,
  metadata: Record<string, string>,
  workspaceRef?: string,
): MetadataInput[] {
  return inputsOf(entry, module).filter(
    (input) => !isOptionalInput(input) && valueFor(input, metadata, workspaceRef) === undefined,
  )
}

/** Everything wrong with the metadata of a connection: missing values, and values that make no usable base URL. */
export function inputIssues(
  entry: ProviderEntry,
  module: string | undefined,
  metadata: Record<string, string>,
  workspaceRef?: string,
): InputIssue[] {
  const inputs = inputsOf(entry, module)
  const issues = inputs.flatMap((input): InputIssue[] => {
    const value = valueFor(input, metadata, workspaceRef)
    if (value === undefined && isOptionalInput(input)) return []
    if (value === undefined) {
      return [{ name: input.name, problem: 'missing', detail: `${input.displayName ?? input.name} is needed.` }]
    }
    const detail = kindProblem(input, value) ?? valueFault(input, value)
    return detail === undefined ? [] : [{ name: input.name, problem: 'invalid', detail }]
  })
  if (issues.length > 0) return issues
  try {
    resolveBaseUrl(entry.baseUrl, (name) => {
      const input = entry.inputs.find((one) => one.name === name) ?? { name }
      return valueFor(input, metadata, workspaceRef)
    })
    return []
  } catch (error) {
    if (!(error instanceof InvalidInputs)) throw error
    // Variables that no input fills come from the provider after authentication.
    return error.issues.filter(({ name }) => inputs.some((input) => input.name === name))
  }
}

function kindProblem({ kind }: MetadataInput, value: string): string | undefined {
  if (kind === 'url' && plainUrl(value) === undefined)
    return 'It must be an http(s) URL without user, query and fragment.'
  if (kind === 'host' && !isHostValue(value.toLowerCase())) return 'It must be a host name, such as shop.example.com.'
  return undefined
}

function inputsOf(entry: ProviderEntry, module: string | undefined): MetadataInput[] {
  const used = module === undefined || module === '' ? entry.defaultModule : module
  return entry.inputs.filter(
    ({ modules }) => modules === undefined || modules.some((id) => id.toLowerCase() === used?.toLowerCase()),
  )
}

function valueFor(input: MetadataInput, metadata: Record<string, string>, workspaceRef?: string): string | undefined {
  const given = Object.hasOwn(metadata, input.name) ? metadata[input.name] : undefined
  return given || (input.name === 'workspace' ? workspaceRef : undefined) || input.default
}
