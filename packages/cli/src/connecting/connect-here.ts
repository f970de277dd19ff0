import type { Client, Input, Output } from '@mortise/client'
import type { Terminal } from '../terminal/terminal.ts'
import { UsageError } from '../usage-error.ts'
import { credentialBlock, credentialFields, metadataFields, type Scheme, schemesOf } from './credential-fields.ts'
import { type Given, gatherValues } from './gather-values.ts'
import { connectWithBrowser } from './with-browser.ts'
import type { PageRequest } from './with-page.ts'

interface Here extends Given {
  project: string
  who: PageRequest
  provider: Output<'getProvider'>
  scheme: Scheme | undefined
  openBrowser: boolean
}

/** Connects an account with what the command line, standard input and the person in front of the terminal give. @throws UsageError */
export async function connectHere(
  mortise: Client,
  terminal: Terminal,
  { project, who, provider, scheme: wanted, openBrowser, ...given }: Here,
): Promise<Output<'listConnections'>[number]> {
  const schemes = schemesOf(provider)
  const scheme = wanted ?? schemes[0]!
  if (!schemes.includes(scheme))
    throw new UsageError(`${provider.name} does not take ${scheme}; it takes ${schemes.join(', ')}.`)
  const credential = credentialFields(provider, scheme)
  const metadata = metadataFields(provider)
  const values = await gatherValues([...metadata, ...credential], given, terminal)
  const pick = (fields: { name: string }[]) =>
    Object.fromEntries(fields.flatMap(({ name }) => (values[name] === undefined ? [] : [[name, values[name]]])))
  const account = { ...who, ...(metadata.length > 0 && { providerMetadata: pick(metadata) }) }
  if (scheme === 'oauth2') {
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
