import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'
import type { DestinationKind, Sender, SenderServices, SendResult } from './kind.ts'
import { refusedTemplate } from './template.ts'

type Kind = Pick<DestinationKind, 'name' | 'clientPackages'>

const { resolve } = createRequire(import.meta.url)

function isInstalled(name: string): boolean {
  const folders = resolve.paths(name) ?? []
  return folders.some((folder) => existsSync(path.join(folder, name, 'package.json')))
}

export const installRemedy =
  'Run `npm install --include=optional` in the folder of Mortise, and start the service again.'

/** Says which packages of the client of a kind are not installed. Undefined if none is missing. */
export function missingPackages({ name, clientPackages = [] }: Kind): string | undefined {
  const missing = clientPackages.filter((one) => !isInstalled(one))
  return missing.length === 0 ? undefined : withoutPackages(name, missing)
}

function withoutPackages(kind: string, names: readonly string[]): string {
  const [noun, verb] = names.length === 1 ? ['package', 'is'] : ['packages', 'are']
  return `Destinations of type ${kind} need the ${noun} ${names.join(' and ')}, which ${verb} not installed.`
}

/** Opens a sender. If its client is not installed, or a template is refused, each attempt says so. */
export function openSender(kind: DestinationKind, settings: object, services: SenderServices): Sender {
  const refused = refusedTemplate(settings)
  // Without the template, messages would arrive in another form, or elsewhere, as if nothing were wrong.
  if (refused !== undefined)
    return {
      send: async (batch) => batch.map(() => ({ outcome: 'retry', error: refused })),
      close: async () => undefined,
    }
  const sender = kind.open(settings, services)
  const { clientPackages = [] } = kind
  if (clientPackages.length === 0) return sender
  const orMissing = async <R>(run: () => Promise<R>, resultOf: (failure: SendResult) => R): Promise<R> => {
    try {
      return await run()
    } catch (error) {
      if (!isMissing(error)) throw error
      const reason = missingPackages(kind) ?? withoutPackages(kind.name, clientPackages)
      return resultOf({ outcome: 'retry', error: `${reason} ${installRemedy}` })
    }
  }
  const { check } = sender
  return {
    send: (batch, options) =>
      orMissing(
        () => sender.send(batch, options),
        (failure) => batch.map(() => failure),
      ),
    ...(check && {
      check: (options) =>
        orMissing(
          () => check.call(sender, options),
          (failure) => failure,
        ),
    }),
    close: () => sender.close(),
  }
}

/** Whether an `import` found no package: of the client, or one that it needs. */
function isMissing(error: unknown): boolean {
  return (
    error instanceof Error && 'code' in error && /^(?:ERR_MODULE_NOT_FOUND|MODULE_NOT_FOUND)$/.test(String(error.code))
  )
}
