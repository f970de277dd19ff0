import { collect } from '../collect.ts'
import type { Command } from '../command.ts'

/** What the command line chooses of a config; `install` and `reconfigure` take the same options. */
export interface ConfigOptions {
  read?: string[]
  fields: string[]
  map: string[]
  schedule: string[]
  write?: string[]
  allowDelete?: string[]
  subscribe?: string[]
  config?: string
}

/** Adds the options that choose what an installation reads and writes. */
export function withConfig(command: Command): Command {
  return command
    .option('--read <objects>', 'objects to read, such as contacts,companies; none for no object', collectNames)
    .option('--fields <object=fields>', 'optional fields of an object: contacts=first_name,score, or =all', collect, [])
    .option('--map <object.name=field>', 'provider field of a mapped name: contacts.lifecycle=stage', collect, [])
    .option('--schedule <object=cron>', 'schedule of an object, instead of the one in the manifest', collect, [])
    .option('--write <objects>', 'objects to write; none for no object', collectNames)
    .option('--allow-delete <objects>', 'objects whose records may be deleted', collectNames)
    .option('--subscribe <objects>', 'objects whose events are delivered; none for no object', collectNames)
    .option('--config <file>', 'the whole config as YAML or JSON, instead of these options; - reads standard input')
}

/** Splits a list at its commas, and adds it to the lists before it. */
function collectNames(value: string, before: string[] = []): string[] {
  const names = value.split(',').map((name) => name.trim())
  return [...before, ...names.filter((name) => name !== '')]
}
