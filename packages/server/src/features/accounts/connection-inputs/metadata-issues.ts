import { inputIssues, type MetadataInput, type ProviderEntry } from '@mortise/providers'
import type { Issue } from '../../../kernel/http/index.ts'
import type { AddressGuard } from '../../../kernel/net/index.ts'

/** The values that determine which addresses of the provider the credential is sent to. */
export interface AddressValues {
  /** Metadata by name, as text (`metadataValues`). */
  values: Record<string, string>
  workspaceRef: string | undefined
}

/**
 * Returns an issue for each missing or invalid input, and for each that names an address that the guard forbids.
 *
 * @param at path of the metadata in the body: empty, or `connection.`
 */
export function metadataIssues(
  entry: ProviderEntry,
  guard: AddressGuard,
  { values, workspaceRef }: AddressValues,
  at = '',
): Issue[] {
  const issues = inputIssues(entry, undefined, values, workspaceRef).map(({ name, problem, detail }): Issue => {
    const path = `${at}${name === 'workspace' ? 'providerWorkspaceRef' : `providerMetadata.${name}`}`
    return {
      in: 'body',
      name: path,
      ...(problem === 'invalid' && { value: values[name] ?? workspaceRef }),
      detail,
      remedy: remedyFor(
        entry.inputs.find((input) => input.name === name),
        path,
      ),
    }
  })
  const faulty = new Set(issues.map(({ name }) => name))
  for (const input of entry.inputs) {
    const value = values[input.name] ?? input.default
    const name = `${at}providerMetadata.${input.name}`
    if (value === undefined || faulty.has(name)) continue
    const refusal = refusalOf(guard, input, value)
    if (refusal) issues.push({ in: 'body', name, value, detail: refusal.reason, remedy: refusal.remedy })
  }
  return issues
}

function remedyFor(input: MetadataInput | undefined, path: string): string {
  const where = input?.docsUrl === undefined ? '' : ` See ${input.docsUrl}.`
  return `${input?.prompt ? `${input.prompt.replace(/\.?$/, '.')} ` : ''}Send it as ${path}.${where}`
}

function refusalOf(guard: AddressGuard, { kind }: MetadataInput, value: string) {
  if (kind !== 'url' && kind !== 'host') return undefined
  const url = URL.parse(kind === 'url' ? value : `https://${value}`)
  if (!url) return undefined
  // RFC 6761, 6.3: these names are loopback without a DNS query. All other names are checked by their addresses, on
  // connecting.
  if (/(^|\.)localhost\.?$/.test(url.hostname)) url.hostname = '127.0.0.1'
  return guard.checkUrl(url)
}
