import { printable } from '../terminal/print.ts'
import type { Terminal } from '../terminal/terminal.ts'
import type { ConfigContent } from './config-content.ts'
import { contentOf, type Installation } from './find-installation.ts'

/** Returns what an installation reads and writes, a line for each object. */
export function installationText(installation: Installation, colors: Terminal['out']): string {
  const { id, connection, healthStatus } = installation
  const { read, write, subscribe, proxy } = contentOf(installation)
  const health = healthStatus === 'healthy' ? colors.green(healthStatus) : colors.red(healthStatus)
  const rows: [label: string, value: string][] = [
    ['Installation', `${printable(id)} ${health}`],
    ['Connection', printable(`${connection.id} (${connection.provider})`)],
    ...labeled('Reads', Object.entries(read?.objects ?? {}).map(readText)),
    ...labeled('Writes', Object.entries(write?.objects ?? {}).map(writeText)),
    ...labeled('Subscribes', Object.keys(subscribe?.objects ?? {})),
    ...(proxy?.enabled ? labeled('Proxy', ['enabled']) : []),
  ]
  return rows.map(([label, value]) => `${colors.dim(label.padEnd(14))}${value}\n`).join('')
}

/** A row for each value; the first has the label. */
function labeled(label: string, values: string[]): [string, string][] {
  return values.map((value, at) => [at === 0 ? label : '', printable(value)])
}

type ReadObject = NonNullable<NonNullable<ConfigContent['read']>['objects']>[string]

function readText([name, object]: [string, ReadObject]): string {
  const { selectedFieldsAuto, selectedFields = {}, selectedFieldMappings = {}, schedule, disabled } = object
  const fields = Object.keys(selectedFields).filter((field) => selectedFields[field])
  const mappings = Object.entries(selectedFieldMappings).map(([mapToName, field]) => `${mapToName} from ${field}`)
  const choices = [
    [...(selectedFieldsAuto === 'all' ? ['all fields'] : fields), ...mappings].join(', '),
    ...(schedule === undefined ? [] : [`schedule ${schedule}`]),
    ...(disabled ? ['disabled'] : []),
  ].filter((choice) => choice !== '')
  return choices.length === 0 ? name : `${name}: ${choices.join('; ')}`
}

type WriteObject = NonNullable<NonNullable<ConfigContent['write']>['objects']>[string]

function writeText([name, { deletionSettings }]: [string, WriteObject]): string {
  return deletionSettings?.enabled ? `${name}: records may be deleted` : name
}
