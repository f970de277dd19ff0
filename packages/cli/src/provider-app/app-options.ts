import { readFileSync } from 'node:fs'
import { text } from 'node:stream/consumers'
import type { Client, Input } from '@mortise/client'
import { collect } from '../collect.ts'
import type { Command } from '../command.ts'
import type { Terminal } from '../terminal/terminal.ts'
import { UsageError } from '../usage-error.ts'

type NewProviderApp = Input<'createProviderApp'>['body']

/** What the command line says about a provider app; `create` and `update` take the same options. */
export interface AppOptions {
  clientId?: string
  secretStdin: boolean
  scope: string[]
  externalRef?: string
  allowedHost: string[]
  param: string[]
  paramFile: string[]
}

/** Adds the options that describe a provider app. */
export function withApp(command: Command): Command {
  return command
    .option('--client-id <id>', 'client id of the app at the provider')
    .option('--secret-stdin', 'read the client secret from standard input', false)
    .option('--scope <scope>', 'a scope that customers grant; can be repeated', collect, [])
    .option('--external-ref <ref>', 'what the provider calls the app')
    .option('--allowed-host <host>', 'a further host that receives the client secret; can be repeated', collect, [])
    .option('--param <name=value>', 'a value that the provider needs; can be repeated', collect, [])
    .option('--param-file <name=path>', 'the same, with the value read from a file; can be repeated', collect, [])
}

/** Returns the parts of a provider app that the options name, except its secret. @throws UsageError */
export function partsOf(options: AppOptions): Partial<NewProviderApp> {
  const { clientId, scope, externalRef, allowedHost, param, paramFile } = options
  const params = [...param.map((text) => parameter(text, '--param name=value')), ...paramFile.map(fileParameter)]
  return {
    ...(clientId !== undefined && { clientId }),
    ...(scope.length > 0 && { scopes: scope }),
    ...(externalRef !== undefined && { externalRef }),
    ...(allowedHost.length > 0 && { allowedHosts: allowedHost }),
    ...(params.length > 0 && { metadata: { providerParams: Object.fromEntries(params) } }),
  }
}

/** Reads the client secret: from standard input, or typed unseen. @throws UsageError where there is neither */
export async function readSecret(
  { secretStdin }: Pick<AppOptions, 'secretStdin'>,
  { stdin, interactive, ask }: Terminal,
): Promise<string> {
  if (!secretStdin && !interactive) throw new UsageError('The client secret is missing. Pass it with --secret-stdin.')
  const secret = secretStdin ? (await text(stdin)).replace(/\r?\n$/, '') : await ask.password('Client secret')
  if (secret === '') throw new UsageError('The client secret is empty. Copy it from the app at the provider.')
  return secret
}

/**
 * Asks for the settings that the provider requires of its apps and the options do not name. Secrets are typed unseen.
 * Without a person to ask, the service says which are missing.
 */
export async function askForParams(
  mortise: Client,
  provider: string,
  { metadata }: Partial<NewProviderApp>,
  { interactive, ask, signal }: Terminal,
): Promise<Pick<NewProviderApp, 'metadata'>> {
  const known = metadata?.providerParams ?? {}
  // The service names a provider that does not exist.
  const found = interactive ? await mortise.getProvider({ provider }, { signal }).catch(() => undefined) : undefined
  const asked: Record<string, string> = {}
  for (const { name, displayName = name, secret, required } of found?.providerAppMetadata?.providerParams ?? []) {
    if (required !== true || Object.hasOwn(known, name)) continue
    asked[name] = secret === true ? await ask.password(displayName) : await ask.text(displayName)
  }
  const providerParams = { ...known, ...asked }
  return Object.keys(providerParams).length > 0 ? { metadata: { ...metadata, providerParams } } : {}
}

function fileParameter(assignment: string): [string, string] {
  const [name, path] = parameter(assignment, '--param-file name=path')
  try {
    return [name, readFileSync(path, 'utf8').trim()]
  } catch (cause) {
    throw new UsageError(`The file “${path}” cannot be read. Check the path of --param-file ${name}.`, { cause })
  }
}

function parameter(assignment: string, form: string): [string, string] {
  const at = assignment.indexOf('=')
  if (at < 1) throw new UsageError(`“${assignment}” has no value. Write ${form}.`)
  return [assignment.slice(0, at), assignment.slice(at + 1)]
}
