import { hash } from 'node:crypto'
import type { ProjectDb } from '../../../kernel/db/index.ts'
import { createEnvelope, type Keyring } from '../../../kernel/encryption/index.ts'
import { ToolError } from './tool-error.ts'

/** Where a result continues. */
export interface Position {
  /** Page of the provider; undefined for the first one. */
  page?: string
  /** Records of the page that earlier results had. */
  skip: number
}

/** What a cursor belongs to: it works nowhere else. */
export interface CursorOwner {
  installationId: string
  toolName: string
  /** Anything that decides which records there are. */
  question: unknown
}

/**
 * Cursors are encrypted, and bound to the question: a page of a provider may be an address with a secret in it, and an
 * agent must not be able to write one.
 */
export function writeCursor(db: ProjectDb, keyring: Keyring, owner: CursorOwner, position: Position): string {
  return createEnvelope(keyring).encrypt(JSON.stringify(position), locationOf(db, owner))
}

/** @throws ToolError */
export function readCursor(db: ProjectDb, keyring: Keyring, owner: CursorOwner, cursor: string): Position {
  try {
    return JSON.parse(createEnvelope(keyring).open(cursor, locationOf(db, owner)).toString('utf8'))
  } catch (cause) {
    throw new ToolError(
      {
        code: 'arguments_refused',
        message: 'The cursor is not of this search. Call again without `cursor` to begin at the start.',
      },
      { cause },
    )
  }
}

function locationOf(db: ProjectDb, { installationId, toolName, question }: CursorOwner) {
  const digest = hash('sha256', JSON.stringify(question))
  return { table: 'tools', project: db.projectId, row: `${installationId} ${toolName} ${digest}`, column: 'cursor' }
}
