import type { Output } from '@mortise/client'
import { type LogOptions, orgOfLog, withOrg } from '../auditing/log-options.ts'
import { type AddCommand, type FormatOptions, withFormat, withService } from '../command.ts'
import { Exit } from '../exit.ts'
import { exitCodes } from '../exit-codes.ts'
import { pluralize } from '../pluralize.ts'
import { connectTo } from '../service/connect.ts'
import { printable, printData } from '../terminal/print.ts'
import type { Terminal } from '../terminal/terminal.ts'

type Options = LogOptions & FormatOptions
type Part = Output<'verifyProjectAuditLog'>
type Result = Omit<Part, 'nextPageToken'>

export const addAuditVerify: AddCommand = (audit, terminal) => {
  withOrg(withFormat(withService(audit.command('verify'))))
    .description('Verify the audit log, and name the first broken place.')
    .addHelpText('after', '\nExample:\n  mortise audit verify')
    .action(async (options: Options) => {
      const { signal } = terminal
      const { mortise } = await connectTo(options, terminal)
      const orgId = await orgOfLog(mortise, options, signal)
      const result = await verifyAll((pageToken) => {
        const query = pageToken === undefined ? {} : { pageToken }
        return orgId === undefined
          ? mortise.verifyProjectAuditLog({ query }, { signal })
          : mortise.verifyOrgAuditLog({ orgId, query }, { signal })
      })
      if (options.format === 'text') print(terminal, result)
      else printData(terminal, options.format, result)
      if (result.fault) throw new Exit(exitCodes.failed)
    })
}

/** Verifies the parts of a log, up to the first fault, and adds up their counts. */
async function verifyAll(verify: (pageToken: string | undefined) => Promise<Part>): Promise<Result> {
  const result: Result = { checkedSeals: 0, checkedEntries: 0, expiredEntries: 0, unsealedEntries: 0 }
  let pageToken: string | undefined
  do {
    const part = await verify(pageToken)
    result.checkedSeals += part.checkedSeals
    result.checkedEntries += part.checkedEntries
    result.expiredEntries += part.expiredEntries
    result.unsealedEntries += part.unsealedEntries
    if (part.lastSeal) result.lastSeal = part.lastSeal
    if (part.fault) return { ...result, fault: part.fault }
    pageToken = part.nextPageToken
  } while (pageToken !== undefined)
  return result
}

const faults: Record<NonNullable<Part['fault']>['kind'], string> = {
  changedEntry: 'entry was changed',
  missingEntry: 'entry is missing',
  insertedEntry: 'entry was inserted: no seal contains it',
  changedSeal: 'seal was changed',
  missingSeal: 'seal is missing',
}

function print({ stdout, out }: Terminal, result: Result): void {
  const { fault, lastSeal, checkedEntries, checkedSeals, expiredEntries, unsealedEntries } = result
  if (fault) {
    const where = [
      fault.entryId && `entry ${fault.entryId}`,
      fault.sequence && `number ${fault.sequence}`,
      fault.sealNumber && `seal ${fault.sealNumber}`,
    ]
    stdout.write(printable(`${out.red('broken')}: ${faults[fault.kind]} (${where.filter(Boolean).join(', ')})\n`))
    return
  }
  const noun = checkedEntries === 1 ? 'entry' : 'entries'
  const entries = `${checkedEntries.toLocaleString('en')} ${noun} in ${pluralize(checkedSeals, 'seal')}`
  const more = [
    expiredEntries > 0 && `${expiredEntries} deleted after their retention`,
    unsealedEntries > 0 && `${unsealedEntries} not sealed yet`,
  ]
  stdout.write(`${out.green('intact')}: ${[entries, ...more].filter(Boolean).join('; ')}\n`)
  if (lastSeal) stdout.write(printable(`seal ${lastSeal.number}: ${lastSeal.hash}\n`))
}
