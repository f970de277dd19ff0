import { batchCases } from './batch-cases.ts'
import { describeCases } from './describe-cases.ts'
import { exceptions } from './exceptions.ts'
import { lookupCases } from './lookup-cases.ts'
import { readCases } from './read-cases.ts'
import type { StandInServer } from './stand-in/server.ts'
import type { Subject } from './stand-in/subject.ts'
import { caseName, type Tried } from './tried.ts'
import { writeCases } from './write-cases.ts'
import { writeJobCases } from './write-job-cases.ts'

/** Reads and writes an object in every way against its stand-in. */
export async function objectCases(subject: Subject, server: StandInServer): Promise<Tried[]> {
  const read = subject.object['read'] === undefined ? [] : await readCases(subject, server)
  return [
    ...read,
    ...(await lookupCases(subject, server)),
    ...(await describeCases(subject, server)),
    ...(await writeCases(subject, server)),
    ...(await batchCases(subject, server)),
    ...(await writeJobCases(subject, server)),
  ]
}

/** Returns why the stand-in cannot try a case of a built-in file; undefined if it can. */
export function exceptionFor(provider: string, object: string, tried: Tried): (typeof exceptions)[number] | undefined {
  const at = `${provider} ${object} ${caseName(tried)}`
  return exceptions.find(({ of }) => at === of || at.startsWith(`${of} `))
}
