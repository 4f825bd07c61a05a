import { existsSync } from 'node:fs';
import { dirname, resolve } from 'node:path';

/** A node of Babel's syntax tree, as far as it is looked at. */
interface SyntaxNode {
  type: string;
  loc?: { start: { line: number } } | null;
  [field: string]: unknown;
}

interface SyntaxPath {
  readonly node: SyntaxNode;
  readonly parent: SyntaxNode;
  traverse(visitor: Visitor): void;
}

type Visitor = Readonly<Record<string, (path: SyntaxPath) => void>>;

/** What was seen in a source. */
export interface SourceFindings {
  /** The line of the first decorator. */
  decoratorLine?: number;
  /** The first decorator that jiti cannot compile, legacy or not: its line, and what it decorates. */
  unfit?: { readonly line: number; readonly decorates: string };
}

/** A plugin of Babel that sees and mends what jiti's own do not. */
interface SourcePlugin {
  readonly name: string;
  /** Before any other plugin changes what was written. */
  pre(file: { readonly path: SyntaxPath }): void;
  readonly visitor: Visitor;
}

/** Makes the plugin for one file; `findings` is filled while it runs. */
export function sourcePlugin(file: string, findings: SourceFindings): SourcePlugin {
  const mendSource = ({ node }: SyntaxPath) => shortenSpecifier(node.source, file);
  return {
    name: 'mastra-lease',
    pre: (source) =>
      source.path.traverse({
        Decorator: ({ node, parent }) => note(node, parent, findings),
        // Babel does not go into these decorators by itself.
        TSParameterProperty({ node }) {
          const [decorator] = Array.isArray(node.decorators) ? node.decorators : [];
          if (isNode(decorator) && isNode(node.parameter)) note(decorator, node.parameter, findings);
        },
        ImportDeclaration: mendSource,
        ExportNamedDeclaration: mendSource,
        ExportAllDeclaration: mendSource,
        CallExpression({ node }) {
          if (isNode(node.callee) && node.callee.type === 'Import' && Array.isArray(node.arguments)) {
            shortenSpecifier(node.arguments[0], file);
          }
        },
      }),
    visitor: {
      // At once: jiti has just added its decorators, and is going to compile them away.
      Program: (program) => program.traverse({ Decorator: ({ node }) => mendMetadata(node) }),
    },
  };
}

function note({ loc }: SyntaxNode, decorated: SyntaxNode, findings: SourceFindings): void {
  const line = loc?.start.line ?? 0;
  findings.decoratorLine ??= line;
  const decorates = UNFIT.get(decorated.type);
  if (decorates !== undefined) findings.unfit ??= { line, decorates };
}

/** What jiti cannot have decorated: it fails at run time, or drops the decorator. */
const UNFIT: ReadonlyMap<string, string> = new Map([
  ['ClassProperty', 'properties'],
  ['ClassPrivateProperty', 'properties'],
  ['ClassAccessorProperty', 'properties'],
  ['AssignmentPattern', 'parameters with a default'],
]);

/**
 * Where `Reflect.metadata` is missing, jiti puts the identity in its place: on a method that answers the prototype,
 * which would then be taken for the method's descriptor.
 */
function mendMetadata({ expression }: SyntaxNode): void {
  if (!isNode(expression) || expression.type !== 'LogicalExpression') return;
  const { left, right } = expression;
  if (!isNode(left) || !isNode(left.callee) || !isNode(right) || right.type !== 'ArrowFunctionExpression')
    return;
  const { object } = left.callee;
  if (isNode(object) && object.name === 'Reflect') {
    expression.right = { ...right, params: [], body: { type: 'BlockStatement', body: [], directives: [] } };
  }
}

/**
 * `./x.js` that means `x.ts` becomes `./x`: jiti finds that at once, and the other only after a hundred failed looks
 * (5 ms each, measured). What is found stays the same: a later `x.js` would be found first.
 */
function shortenSpecifier(source: unknown, file: string): void {
  if (!isNode(source) || typeof source.value !== 'string' || !/\.[cm]?tsx?$/.test(file)) return;
  const [, stem] = /^(.+)\.jsx?$/.exec(source.value) ?? [];
  if (stem === undefined || !(isAlias(stem) || meansTypeScript(resolve(dirname(file), stem), stem))) return;
  source.value = stem;
  delete source.extra;
}

function isAlias(specifier: string): boolean {
  return /^(~|@\/)/.test(specifier);
}

function meansTypeScript(path: string, specifier: string): boolean {
  if (!/^\.{1,2}\//.test(specifier)) return false;
  const has = (extension: string) => existsSync(path + extension);
  return (has('.ts') || has('.tsx')) && !['', '.js', '.jsx', '.mjs', '.cjs'].some(has);
}

function isNode(value: unknown): value is SyntaxNode {
  return typeof value === 'object' && value !== null && 'type' in value;
}
