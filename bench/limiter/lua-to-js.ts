import { type Expression, type Statement, parse, type TableConstructorExpression } from 'luaparse'

/*
 * Translates the control law (packages/limiter/src/lua/law.lua) to JavaScript, so that a simulation runs the very source that
 * Redis runs, a hundred times faster than through Redis. It covers the subset of Lua 5.1 that the law is written in and
 * throws at anything else: numbers, strings, booleans and tables with string or integer keys, single results, no
 * metatables, no goto. `packages/limiter/test/law-translation.test.ts` compares both, call by call, with a real Redis.
 */

type LuaValue = number | string | boolean | undefined | LuaTable | LuaFunction
export interface LuaTable {
  [key: string]: LuaValue
}
export type LuaFunction = (...values: never[]) => unknown

const MATH: Readonly<Record<string, string>> = {
  max: 'Math.max',
  min: 'Math.min',
  floor: 'Math.floor',
  ceil: 'Math.ceil',
  abs: 'Math.abs',
  log: 'Math.log',
  exp: 'Math.exp',
  sqrt: 'Math.sqrt',
}

const COMPARISONS: ReadonlySet<string> = new Set(['==', '~=', '<', '<=', '>', '>='])

/** Runs the chunk and answers the local functions named in `exports`. */
export function runLua(source: string, names: readonly string[]): Readonly<Record<string, LuaFunction>> {
  const { body } = parse(source, { luaVersion: '5.1', comments: false })
  const code = `'use strict';\nlet $t\nconst $and = (v) => v !== undefined && v !== false\n${block(body)}\nreturn { ${names.join(', ')} }`
  // eslint-disable-next-line typescript/no-implied-eval -- our own source, translated
  const load = new Function(code) as () => Readonly<Record<string, LuaFunction>>
  return load()
}

function block(statements: readonly Statement[]): string {
  return statements.map(statement).join('\n')
}

function statement(node: Statement): string {
  // oxlint-disable-next-line typescript/switch-exhaustiveness-check -- the rest of Lua is refused
  switch (node.type) {
    case 'LocalStatement': {
      if (node.init.length > 1 && node.init.length !== node.variables.length) throw unknown(node)
      return node.variables
        .map((variable, i) => {
          const init = node.init[i]
          return init === undefined ? `let ${name(variable.name)}` : `let ${name(variable.name)} = ${expression(init)}`
        })
        .join('; ')
    }
    case 'AssignmentStatement': {
      if (node.variables.length === 1) return `${expression(node.variables[0]!)} = ${expression(node.init[0]!)}`
      const values = node.init.map(expression).join(', ')
      return `;[${node.variables.map(expression).join(', ')}] = [${values}]`
    }
    case 'CallStatement':
      return expression(node.expression)
    case 'FunctionDeclaration': {
      if (node.identifier?.type !== 'Identifier' || !node.isLocal) throw unknown(node)
      return `function ${name(node.identifier.name)}${functionRest(node)}`
    }
    case 'ReturnStatement':
      if (node.arguments.length > 1) throw unknown(node)
      return node.arguments[0] === undefined ? 'return' : `return ${expression(node.arguments[0])}`
    case 'IfStatement':
      return node.clauses
        .map((clause) => {
          if (clause.type === 'ElseClause') return `else {\n${block(clause.body)}\n}`
          const keyword = clause.type === 'IfClause' ? 'if' : 'else if'
          return `${keyword} (${condition(clause.condition)}) {\n${block(clause.body)}\n}`
        })
        .join(' ')
    case 'WhileStatement':
      return `while (${condition(node.condition)}) {\n${block(node.body)}\n}`
    case 'BreakStatement':
      return 'break'
    case 'ForNumericStatement': {
      const variable = name(node.variable.name)
      const step = node.step === null ? '1' : expression(node.step)
      const test = step.startsWith('(-') || step.startsWith('-') ? '>=' : '<='
      return `for (let ${variable} = ${expression(node.start)}, $end = ${expression(node.end)}; ${variable} ${test} $end; ${variable} += ${step}) {\n${block(node.body)}\n}`
    }
    default:
      throw unknown(node)
  }
}

function functionRest(node: { readonly parameters: readonly unknown[]; readonly body: readonly Statement[] }): string {
  const parameters = node.parameters.map((parameter) => name((parameter as { name: string }).name))
  return `(${parameters.join(', ')}) {\nlet $t\n${block(node.body)}\n}`
}

/** Lua counts 0 and '' as true. */
function condition(node: Expression): string {
  if (isBoolean(node)) return expression(node)
  if (node.type === 'LogicalExpression') {
    const operator = node.operator === 'and' ? '&&' : '||'
    return `(${condition(node.left)} ${operator} ${condition(node.right)})`
  }
  return `$and(${expression(node)})`
}

function isBoolean(node: Expression): boolean {
  if (node.type === 'BinaryExpression') return COMPARISONS.has(node.operator)
  if (node.type === 'UnaryExpression') return node.operator === 'not'
  if (node.type === 'LogicalExpression') return isBoolean(node.left) && isBoolean(node.right)
  return node.type === 'BooleanLiteral'
}

function expression(node: Expression): string {
  // oxlint-disable-next-line typescript/switch-exhaustiveness-check -- the rest of Lua is refused
  switch (node.type) {
    case 'NumericLiteral':
      return String(node.value)
    case 'StringLiteral':
      return node.raw
    case 'BooleanLiteral':
      return String(node.value)
    case 'NilLiteral':
      return 'undefined'
    case 'Identifier':
      return name(node.name)
    case 'MemberExpression':
      if (node.base.type === 'Identifier' && node.base.name === 'math') return math(node.identifier.name)
      return `${expression(node.base)}.${node.identifier.name}`
    case 'IndexExpression':
      return `${expression(node.base)}[${expression(node.index)}]`
    case 'CallExpression':
      return `${expression(node.base)}(${node.arguments.map(expression).join(', ')})`
    case 'TableConstructorExpression':
      return table(node)
    case 'UnaryExpression':
      if (node.operator === 'not') return `!${condition(node.argument)}`
      if (node.operator === '-') return `(-${expression(node.argument)})`
      throw unknown(node)
    case 'BinaryExpression':
      return binary(node.operator, expression(node.left), expression(node.right))
    case 'LogicalExpression':
      return logical(node.operator, node.left, node.right)
    default:
      throw unknown(node)
  }
}

function binary(operator: string, left: string, right: string): string {
  if (operator === '==') return `(${left} === ${right})`
  if (operator === '~=') return `(${left} !== ${right})`
  if (operator === '^') return `Math.pow(${left}, ${right})`
  if (operator === '%') return `((${left}) - Math.floor((${left}) / (${right})) * (${right}))`
  if (operator === '..') return `(String(${left}) + String(${right}))`
  return `(${left} ${operator} ${right})`
}

function logical(operator: 'and' | 'or', left: Expression, right: Expression): string {
  if (isBoolean(left)) return `(${expression(left)} ${operator === 'and' ? '&&' : '||'} ${expression(right)})`
  const [yes, no] = operator === 'and' ? [expression(right), '$t'] : ['$t', expression(right)]
  return `($and($t = ${expression(left)}) ? ${yes} : ${no})`
}

function table(node: TableConstructorExpression): string {
  const members = node.fields.map((field, index) => {
    if (field.type === 'TableKeyString') return `${field.key.name}: ${expression(field.value)}`
    if (field.type === 'TableValue') return `${index + 1}: ${expression(field.value)}`
    throw unknown(node)
  })
  return `({ ${members.join(', ')} })`
}

function math(member: string): string {
  if (member === 'huge') return 'Infinity'
  const translated = MATH[member]
  if (translated === undefined) throw new Error(`the law uses math.${member}, which the translation does not know`)
  return translated
}

/** JavaScript keeps some words that Lua leaves free. */
const name = (identifier: string): string =>
  /^(new|class|this|const|let|default|switch|case)$/.test(identifier) ? `${identifier}$` : identifier

function unknown(node: { readonly type: string }): Error {
  return new Error(`the law uses a ${node.type} in a form that the translation does not know`)
}
