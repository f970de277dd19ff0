import type { Client, Input, Output } from '@mortise/client'
import type { Terminal } from '../terminal/terminal.ts'
import { UsageError } from '../usage-error.ts'
import { collectValues, type ValueOptions } from './collect-values.ts'
import {
  credentialBlock,
  credentialFields,
  findScheme,
  metadataFields,
  needsBrowser,
  schemesOf,
} from './credential-fields.ts'
import { connectWithBrowser } from './with-browser.ts'
import type { PageRequest } from './with-page.ts'

interface Here extends ValueOptions {
  project: string
  who: PageRequest & { provider: string }
  provider: Output<'getProvider'>
  /** Name of the scheme; the preferred one when undefined. */
  scheme: string | undefined
  openBrowser: boolean
}

/**
 * Connects an account with what the command line, standard input and the person in front of the terminal give.
 * @throws UsageError
 */
export async function connectHere(
  mortise: Client,
  terminal: Terminal,
  { project, who, provider, scheme: wanted, openBrowser, ...given }: Here,
): Promise<Output<'listConnections'>[number]> {
  const schemes = schemesOf(provider)
  const scheme = wanted === undefined ? schemes[0] : findScheme(schemes, wanted)
  if (scheme === undefined) {
    const names = schemes.map(({ name }) => name).join(', ')
    throw new UsageError(`${provider.name} has no scheme ${wanted}; it has ${names}.`)
  }
  const credential = credentialFields(scheme)
  const metadata = metadataFields(provider)
  const values = await collectValues([...metadata, ...credential], given, terminal)
  const pick = (fields: { name: string }[]) =>
    Object.fromEntries(fields.flatMap(({ name }) => (values[name] === undefined ? [] : [[name, values[name]]])))
  // A provider without schemes has no name to choose by.
  const named = provider.schemes.length > 0 && { schemeName: scheme.name }
  const account = { ...who, ...named, ...(metadata.length > 0 && { providerMetadata: pick(metadata) }) }
  if (needsBrowser(scheme)) {
    // The form of the React library sends it as both, too.
    const request = { ...account, ...(values['workspace'] && { providerWorkspaceRef: values['workspace'] }) }
    return await connectWithBrowser(mortise, terminal, { project, request, openBrowser })
  }
  const body = { ...account, ...credentialBlock(scheme, pick(credential)) } as Input<'generateConnection'>['body']
  return withoutSecrets(
    await mortise.generateConnection({ body, query: { verify: true } }, { signal: terminal.signal }),
  )
}

/** The service answers a key with what it was just sent. */
function withoutSecrets(connection: Output<'generateConnection'>): Output<'generateConnection'> {
  const { apiKey: _, oauth2AuthorizationCode: __, ...rest } = connection
  return rest as Output<'generateConnection'>
}
