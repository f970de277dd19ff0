import type { CatalogueFault } from '@mortise/providers/check'
import type { StandInGroup, StandInObject, Untested } from '@mortise/providers/stand-in'
import { countsText, findingsText } from '../manifest/show-findings.ts'
import { type Format, printable, printData } from '../terminal/print.ts'
import type { Terminal } from '../terminal/terminal.ts'
import { runStandIn } from './run-stand-in.ts'
import { endText, type Failed, fileText, hasFailed, objectText, untestedText } from './stand-in-text.ts'

interface FileOnDisk {
  text: string
  path: string
}

/** What to test, and how to print it. */
export interface OfflineTest {
  file: FileOnDisk
  /** The file as the command line names it. */
  name: string
  as: FileOnDisk | undefined
  objects: readonly string[]
  format: Format
}

/**
 * Tests a provider file against its stand-in, and prints each part of the result. Returns whether nothing failed, and
 * each object that was named was tested.
 */
export async function testOffline(
  { file, name, as, objects, format }: OfflineTest,
  terminal: Terminal,
): Promise<boolean> {
  const { stdout, out, signal } = terminal
  const isText = format === 'text'
  const results: StandInObject[] = []
  let ofFile: StandInGroup[] = []
  let faults: CatalogueFault[] = []
  let untested: Untested[] = []
  for await (const message of runStandIn({ file, objects, ...(as && { as }) }, signal)) {
    if (message.kind === 'file') {
      ofFile = message.groups
      if (isText) stdout.write(fileText(name, ofFile, out))
    } else if (message.kind === 'object') {
      results.push(message.object)
      if (isText) stdout.write(objectText(message.object, out))
    } else ({ faults, untested } = message)
  }
  const missed = objects.filter((name) => !results.some(({ objectName }) => objectName === name))
  const hasFailures = [ofFile, ...results.map(({ groups }) => groups)].some(hasFailed)
  const ok = faults.length === 0 && missed.length === 0 && !hasFailures
  if (!isText) printData(terminal, format, { ok, faults, groups: ofFile, objects: results, untested })
  else if (faults.length > 0) printFaults([file, ...(as ? [as] : [])], faults, terminal)
  else printEnd(name, results, untested, { missed, isFileFaulty: hasFailed(ofFile), terminal })
  return ok
}

function printFaults(files: readonly FileOnDisk[], faults: readonly CatalogueFault[], terminal: Terminal): void {
  const { stdout, stderr, out, err } = terminal
  for (const { path, text } of files) {
    const findings = faults
      .filter(({ file }) => file === path)
      .map(({ line, column, path: at, message }) => ({
        ...{ level: 'error' as const, rule: 'provider-file', path: at },
        ...{ line, column, message },
      }))
    stdout.write(findingsText({ name: path, text }, findings, out))
  }
  stderr.write(`${err.red(countsText({ errors: faults.length, warnings: 0 }))}\n`)
}

function printEnd(
  name: string,
  results: readonly StandInObject[],
  untested: readonly Untested[],
  { terminal: { stdout, stderr, out, err }, ...failed }: Failed & { terminal: Terminal },
): void {
  stdout.write(untestedText(untested, out))
  stdout.write(`${endText(results, failed, out)}\n`)
  stderr.write(
    err.dim(
      `The stand-in answers as the file says. Whether the API does, a connection shows: mortise provider test ${printable(name)} --connection ID\n`,
    ),
  )
}
