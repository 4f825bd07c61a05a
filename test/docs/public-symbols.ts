import { fileURLToPath } from 'node:url';
import ts from 'typescript';

const REPOSITORY = fileURLToPath(new URL('../../', import.meta.url));

/** The entries of the package, by the names under which they are imported. */
const ENTRIES = {
  'mastra-lease': 'src/index.ts',
  'mastra-lease/redis': 'src/providers/redis/index.ts',
  'mastra-lease/sqlite': 'src/providers/sqlite/index.ts',
  'mastra-lease/memory': 'src/providers/memory.ts',
  'mastra-lease/testing': 'src/conformance/index.ts',
} as const;

/** What an entry exports. */
export interface PublicSymbol {
  readonly entry: string;
  readonly name: string;
  readonly kind: 'function' | 'class' | 'constant' | 'type';
  /** The text of its doc comment, without its tags. */
  readonly documentation: string;
  /** The code of its examples. */
  readonly examples: readonly string[];
  /** The names of the classes that it extends. */
  readonly bases: readonly string[];
}

/** The blocks of TypeScript in a text. */
export function codeBlocks(markdown: string): readonly string[] {
  return [...markdown.matchAll(/^```ts\n(.*?)^```/gms)].map(([, code = '']) => code);
}

/** Everything that the entries export, with what its doc comments say. */
export function publicSymbols(): readonly PublicSymbol[] {
  const files = Object.values(ENTRIES).map((file) => `${REPOSITORY}${file}`);
  const program = ts.createProgram(files, { ...compilerOptions(), noEmit: true });
  const checker = program.getTypeChecker();
  return Object.entries(ENTRIES).flatMap(([entry, file]) => {
    const source = program.getSourceFile(`${REPOSITORY}${file}`);
    const module = source && checker.getSymbolAtLocation(source);
    if (!module) throw new Error(`${file} exports nothing`);
    return checker.getExportsOfModule(module).map((exported) => symbolOf(entry, exported, checker));
  });
}

/** The options that the sources are compiled with. */
export function compilerOptions(): ts.CompilerOptions {
  const { config } = ts.readConfigFile(`${REPOSITORY}tsconfig.json`, ts.sys.readFile);
  return ts.parseJsonConfigFileContent(config, ts.sys, REPOSITORY).options;
}

function symbolOf(entry: string, exported: ts.Symbol, checker: ts.TypeChecker): PublicSymbol {
  const symbol = exported.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(exported) : exported;
  const tags = symbol.getJsDocTags(checker);
  return {
    entry,
    name: exported.name,
    kind: kindOf(symbol),
    documentation: ts.displayPartsToString(symbol.getDocumentationComment(checker)).trim(),
    examples: tags
      .filter(({ name }) => name === 'example')
      .map(({ text }) => codeBlocks(ts.displayPartsToString(text)).join('\n')),
    bases: basesOf(symbol, checker),
  };
}

function kindOf({ flags }: ts.Symbol): PublicSymbol['kind'] {
  if (flags & ts.SymbolFlags.Function) return 'function';
  if (flags & ts.SymbolFlags.Class) return 'class';
  return flags & ts.SymbolFlags.Variable ? 'constant' : 'type';
}

function basesOf(symbol: ts.Symbol, checker: ts.TypeChecker): readonly string[] {
  if (!(symbol.flags & ts.SymbolFlags.Class)) return [];
  const type = checker.getDeclaredTypeOfSymbol(symbol);
  return (type.getBaseTypes() ?? []).map((base) => base.symbol.name);
}
