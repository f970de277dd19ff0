import { type Client, createClient } from '@mortise/client'
import type { Terminal } from '../terminal/terminal.ts'
import { freshToken } from './fresh-token.ts'
import { NotSignedIn } from './not-signed-in.ts'
import { readSettings, type ServiceOptions, type ServiceSettings } from './settings.ts'

type SignedIn = ServiceSettings & { credential: NonNullable<ServiceSettings['credential']> }

/** Returns a client of the service, with the credential of the options, the environment or the last sign-in. */
export async function connectTo(
  options: ServiceOptions,
  terminal: Terminal,
): Promise<{ mortise: Client; settings: ServiceSettings }> {
  const settings = await requireSettings(options, terminal)
  const { url, project, credential } = settings
  return { mortise: connectAs(credential, { url, project }, terminal), settings }
}

/** Reads the settings, which must have a credential. @throws NotSignedIn */
export async function requireSettings(options: ServiceOptions, terminal: Terminal): Promise<SignedIn> {
  const settings = await readSettings(options, terminal)
  const { url, credential } = settings
  if (!credential)
    throw new NotSignedIn(
      `There is no credential for ${url}. Sign in with \`mortise login\`, or set MORTISE_API_KEY or --key to an API key.`,
    )
  return { ...settings, credential }
}

/** A service to talk to with this credential. */
export function connectAs(
  credential: NonNullable<ServiceSettings['credential']>,
  { url, project }: Pick<ServiceSettings, 'url' | 'project'>,
  { env }: Pick<Terminal, 'env'>,
): Client {
  const service = { baseUrl: url, project, headers: { 'x-mortise-client': 'cli' } }
  return 'apiKey' in credential
    ? createClient({ ...service, apiKey: credential.apiKey })
    : createClient({ ...service, token: freshToken(credential.session, env) })
}
