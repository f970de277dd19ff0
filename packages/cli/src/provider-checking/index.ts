import { type CatalogueFault, checkProviderFiles } from '@mortise/providers/check'
import { countsText, findingsText } from '../manifest/show-findings.ts'
import { type Format, printData } from '../terminal/print.ts'
import type { Terminal } from '../terminal/terminal.ts'
import { builtInFiles } from './built-in-files.ts'
import { filesToCheck } from './files-to-check.ts'

/** Checks provider files and prints every fault. Returns whether there is none. */
export async function checkAndPrint(paths: readonly string[], format: Format, terminal: Terminal): Promise<boolean> {
  const { stdout, stderr, out, err, cwd } = terminal
  const files = await filesToCheck(paths, cwd)
  const faults = checkProviderFiles(files, await builtInFiles())
  const valid = faults.length === 0
  if (format !== 'text') {
    printData(terminal, format, { valid, errors: faults.length, files: files.map(({ path }) => path), faults })
    return valid
  }
  for (const { path, text } of files) {
    const findings = faults.filter(({ file }) => file === path).map(findingOf)
    stdout.write(findingsText({ name: path, text }, findings, out))
    if (findings.length === 0) stderr.write(`${err.green('valid')}: ${path}\n`)
  }
  if (!valid) stderr.write(`${err.red(countsText({ errors: faults.length, warnings: 0 }))}\n`)
  return valid
}

function findingOf({ line, column, path, message }: CatalogueFault) {
  return { level: 'error' as const, rule: 'provider-file', path, line, column, message }
}
