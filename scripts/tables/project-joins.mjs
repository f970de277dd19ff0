import { loadModule, parseSync } from 'libpg-query'

await loadModule()

/**
 * Finds joins across projects. In a statement that touches several tables of projects, all of their rows must be of one
 * project: each table is connected with the others by an equality of `project_id`, or all are restricted to the project
 * that the statement is given. A distributed PostgreSQL can then run the statement where the rows of the project are.
 *
 * Returns, for each statement of the text, the groups of tables that nothing connects (`faults`) and the numbers of the
 * parameters that a project is compared with (`parameters`), which must have one value. Throws on what PostgreSQL
 * cannot parse.
 *
 * @param isOfProject whether a table, by its name, belongs to a project
 */
export function projectJoins(text, isOfProject) {
  return (parseSync(text).stmts ?? []).map(({ stmt }) => new Statement(isOfProject).read(stmt))
}

/** The column with the project of a row. */
const columnOf = (table) => (table === 'projects' ? 'id' : 'project_id')

class Statement {
  #isOfProject
  /** Union-find: each node stands for a project that rows have; nodes that must be equal have one root. */
  #parents = [0]
  /** Tables of projects in this statement, in their order. */
  #tables = []
  #parameters = new Set()
  #outputs = new Map()

  constructor(isOfProject) {
    this.#isOfProject = isOfProject
  }

  read(statement) {
    this.#query(statement.ExplainStmt?.query ?? statement, undefined)
    const groups = Map.groupBy(this.#tables, ({ project }) => this.#root(project))
    const [first, ...others] = [...groups.values()].map((tables) => tables.map(({ shown }) => shown))
    const faults = others.map(
      (tables) => `no condition says that ${tables.join(', ')} and ${first.join(', ')} are of the same project`,
    )
    return { faults, parameters: [...this.#parameters] }
  }

  /** The project that a statement is given. */
  get #given() {
    return 0
  }

  #newProject() {
    return this.#parents.push(this.#parents.length) - 1
  }

  #root(project) {
    while (this.#parents[project] !== project) project = this.#parents[project]
    return project
  }

  #equate(one, other) {
    if (one !== undefined && other !== undefined) this.#parents[this.#root(one)] = this.#root(other)
  }

  /** Reads a query once; returns its output columns, each with the project that it holds, if it holds one. */
  #query(node, outer) {
    if (!this.#outputs.has(node)) this.#outputs.set(node, this.#readQuery(node, outer))
    return this.#outputs.get(node)
  }

  #readQuery(node, outer) {
    const [[type, query]] = Object.entries(node)
    const scope = { tables: new Map(), ctes: new Map(), outer }
    for (const { CommonTableExpr: cte } of query.withClause?.ctes ?? [])
      scope.ctes.set(cte.ctename, named(this.#query(cte.ctequery, scope), cte.aliascolnames))
    if (query.op && query.op !== 'SETOP_NONE') return this.#union(query, scope)
    const target = ['InsertStmt', 'UpdateStmt', 'DeleteStmt', 'MergeStmt'].includes(type) ? query.relation : undefined
    if (target) this.#addTable(target, scope, true)
    if (query.onConflictClause) scope.tables.set('excluded', [...scope.tables.values()][0])
    for (const item of query.fromClause ?? query.usingClause ?? []) this.#addSource(item, scope)
    if (query.sourceRelation) this.#addSource(query.sourceRelation, scope)
    for (const condition of [query.whereClause, query.joinCondition, query.onConflictClause?.whereClause])
      this.#conditions(condition, scope)
    if (type === 'InsertStmt') this.#insertion(query, scope)
    const known = ['withClause', 'relation', 'fromClause', 'usingClause', 'sourceRelation', 'selectStmt', 'valuesLists']
    for (const [key, value] of Object.entries(query)) if (!known.includes(key)) this.#visit(value, scope)
    for (const list of query.valuesLists ?? []) this.#visit(list, scope)
    return this.#outputsOf(query.returningClause?.exprs ?? (type === 'SelectStmt' ? query.targetList : []), scope)
  }

  /** The rows of both sides are not joined, so they count as one table. */
  #union({ larg, rarg }, scope) {
    const [left, right] = [larg, rarg].map((side) => {
      const before = this.#tables.length
      const outputs = this.#query({ SelectStmt: side }, scope)
      return { outputs, project: this.#tables[before]?.project }
    })
    this.#equate(left.project, right.project)
    for (const [index, { project }] of left.outputs.entries()) this.#equate(project, right.outputs[index]?.project)
    return left.outputs
  }

  #outputsOf(targets = [], scope) {
    return targets.flatMap(({ ResTarget: { name, val } }) => {
      const fields = val?.ColumnRef?.fields
      if (!fields?.at(-1).A_Star)
        return [{ name: name ?? fields?.at(-1).String?.sval, project: this.#project(val, scope), value: val }]
      const tables = fields.length > 1 ? [find(scope, fields.at(-2).String.sval)] : [...scope.tables.values()]
      const columns = tables.flatMap((columns) => [...(columns ?? [])])
      return [{ isStar: true }, ...columns.map(([name, project]) => ({ name, project }))]
    })
  }

  #addSource(item, scope) {
    const [[type, source]] = Object.entries(item)
    if (type === 'RangeVar') return this.#addTable(source, scope, false)
    if (type === 'JoinExpr') return this.#addJoin(source, scope)
    const alias = source.alias?.aliasname
    if (type === 'RangeSubselect') {
      scope.tables.set(alias ?? source, columnsOf(named(this.#query(source.subquery, scope), source.alias?.colnames)))
    } else {
      this.#visit(source, scope)
      const listed = (source.alias?.colnames ?? []).map(({ String: name }) => name.sval)
      const defined = (source.coldeflist ?? []).map(({ ColumnDef: column }) => column.colname)
      const names = [...listed, ...defined].filter((name) => name === 'project_id')
      scope.tables.set(alias ?? source, new Map(names.map((name) => [name, this.#newProject()])))
    }
  }

  #addJoin({ larg, rarg, quals, usingClause }, scope) {
    this.#addSource(larg, scope)
    const left = [...scope.tables.values()]
    this.#addSource(rarg, scope)
    const right = [...scope.tables.values()].slice(left.length)
    for (const { String: column } of usingClause ?? []) {
      const [one, other] = [left, right].map((tables) => tables.find((columns) => columns.has(column.sval)))
      this.#equate(one?.get(column.sval), other?.get(column.sval))
    }
    this.#conditions(quals, scope)
  }

  #addTable({ schemaname: schema, relname: name, alias }, scope, isTarget) {
    const as = alias?.aliasname ?? name
    const cte = schema === undefined && !isTarget ? findCte(scope, name) : undefined
    if (cte) return scope.tables.set(as, columnsOf(named(cte, alias?.colnames)))
    if (schema !== undefined && schema !== 'mortise') return scope.tables.set(as, new Map())
    const table = name.replace(/_(\d{8}|rest)$/, '')
    const project = this.#newProject()
    const isOfProject = this.#isOfProject(table)
    if (isOfProject) this.#tables.push({ project, shown: as === name ? name : `${name} ${as}` })
    scope.tables.set(as, new Map(isOfProject || table === 'projects' ? [[columnOf(table), project]] : []))
  }

  #insertion({ relation, cols, selectStmt }, scope) {
    const table = scope.tables.get(relation.alias?.aliasname ?? relation.relname)
    const project = table.get(columnOf(relation.relname))
    const at = cols?.findIndex(({ ResTarget: column }) => column.name === columnOf(relation.relname)) ?? 0
    if (!selectStmt || at < 0) return
    const outputs = this.#query(selectStmt, scope)
    const star = outputs.findIndex(({ isStar }) => isStar)
    const output = star >= 0 && star <= at ? outputs.find(({ name }) => name === 'project_id') : outputs[at]
    this.#equateColumn(project, output?.project, output?.value)
    for (const { List: list } of selectStmt.SelectStmt?.valuesLists ?? [])
      this.#equateColumn(project, this.#project(list.items[at], scope), list.items[at])
  }

  /** Reads the equalities that hold for every row: those that nothing but `and` combines. */
  #conditions(node, scope) {
    if (node?.BoolExpr?.boolop === 'AND_EXPR')
      return node.BoolExpr.args.forEach((condition) => {
        this.#conditions(condition, scope)
      })
    const comparison = node?.A_Expr
    const isEqual = ['AEXPR_OP', 'AEXPR_NOT_DISTINCT'].includes(comparison?.kind)
    if (isEqual && comparison.name[0].String.sval === '=')
      for (const [index, left] of valuesOf(comparison.lexpr).entries())
        this.#equateValues(left, valuesOf(comparison.rexpr)[index], scope)
    this.#visit(node, scope)
  }

  #equateValues(left, right, scope) {
    const [one, other] = [left, right].map((value) => this.#project(value, scope))
    if (one !== this.#given) this.#equateColumn(one, other, right)
    else if (other !== this.#given) this.#equateColumn(other, one, left)
  }

  #equateColumn(column, project, value) {
    const parameter = (value?.TypeCast?.arg ?? value)?.ParamRef?.number
    if (column !== undefined && parameter !== undefined) this.#parameters.add(parameter)
    this.#equate(column, project)
  }

  /** The project that an expression stands for. A parameter or a constant can only be the one that is given. */
  #project(node, scope) {
    if (!node) return undefined
    if (node.TypeCast) return this.#project(node.TypeCast.arg, scope)
    if (node.ParamRef || node.A_Const) return this.#given
    if (node.SubLink?.subLinkType === 'EXPR_SUBLINK') return this.#query(node.SubLink.subselect, scope)[0]?.project
    const fields = node.ColumnRef?.fields
    if (!fields || fields.at(-1).A_Star) return undefined
    const column = fields.at(-1).String.sval
    if (fields.length > 1) return find(scope, fields.at(-2).String.sval)?.get(column)
    for (let at = scope; at; at = at.outer)
      for (const columns of at.tables.values()) if (columns.has(column)) return columns.get(column)
    return undefined
  }

  /** Reads the queries inside of expressions. */
  #visit(node, scope) {
    if (Array.isArray(node)) for (const item of node) this.#visit(item, scope)
    else if (node && typeof node === 'object')
      for (const [type, value] of Object.entries(node)) {
        if (type === 'SubLink') this.#subLink(value, scope)
        else this.#visit(value, scope)
      }
  }

  #subLink({ subLinkType, testexpr, operName, subselect }, scope) {
    const outputs = this.#query(subselect, scope)
    this.#visit(testexpr, scope)
    if (subLinkType !== 'ANY_SUBLINK' || (operName && operName[0].String.sval !== '=')) return
    for (const [index, value] of valuesOf(testexpr).entries())
      this.#equate(this.#project(value, scope), outputs[index]?.project)
  }
}

/** The values of a row, or the one value. */
const valuesOf = (node) => node?.RowExpr?.args ?? [node]

/** The columns of a table in scope, by its name there. */
function find(scope, name) {
  for (let at = scope; at; at = at.outer) if (at.tables.has(name)) return at.tables.get(name)
  return undefined
}

function findCte(scope, name) {
  for (let at = scope; at; at = at.outer) if (at.ctes.has(name)) return at.ctes.get(name)
  return undefined
}

/** Output columns under other names. After a `*`, whose columns are not known, positions say nothing. */
function named(outputs, names = []) {
  const star = outputs.findIndex(({ isStar }) => isStar)
  return outputs.map((output, index) => {
    if (names.length === 0) return output
    return { ...output, name: star >= 0 && star <= index ? undefined : (names[index]?.String.sval ?? output.name) }
  })
}

function columnsOf(outputs) {
  return new Map(
    outputs
      .filter(({ name, project }) => name !== undefined && project !== undefined)
      .map(({ name, project }) => [name, project]),
  )
}
