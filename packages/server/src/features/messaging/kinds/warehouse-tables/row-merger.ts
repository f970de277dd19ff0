import type { Column } from '../tables/columns.ts'
import { keepStatement, type MergeDialect, mergeStatement } from './merge-statement.ts'
import { type StagedRow, stagedArrays, stagedColumns, stagedMark, stagedMessage, stagedRecord } from './staged-rows.ts'
import type { TableWarehouse } from './table-warehouse.ts'

interface MergingWarehouse {
  dialect: MergeDialect
  /** The quoted name of the table of an object; undefined for the table of messages. */
  target(table: string | undefined): string
  /** Size of the rows of one statement, in bytes. */
  stagedBytesMax: number
  /** By default, all columns. */
  isWritable?(column: Column): boolean
  /** Runs a statement with rows as an array of JSON. */
  run(statement: string, staged: string): Promise<unknown>
}

/** The methods that write rows, for a warehouse that stages rows in the statement that merges them. */
export function rowMerger({
  dialect,
  target,
  stagedBytesMax,
  isWritable,
  run,
}: MergingWarehouse): Pick<TableWarehouse, 'mergeRecords' | 'markRecords' | 'insertMessages'> {
  const merge = async (statement: string, rows: readonly StagedRow[]) => {
    for (const staged of stagedArrays(rows, stagedBytesMax)) await run(statement, staged)
  }
  return {
    mergeRecords(table, columns, rows) {
      const staged = stagedColumns(columns, rows, isWritable)
      const statement = mergeStatement(target(table), dialect, { columns: staged, hasValues: true })
      return merge(
        statement,
        rows.map((row) => stagedRecord(row, staged)),
      )
    },
    markRecords: (table, _columns, rows) =>
      merge(mergeStatement(target(table), dialect, { columns: [], hasValues: false }), rows.map(stagedMark)),
    insertMessages: (messages) => merge(keepStatement(target(undefined), dialect), messages.map(stagedMessage)),
  }
}
