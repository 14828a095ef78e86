#!/usr/bin/env node
// Which definition each call of a TypeScript or JavaScript project means, according to the TypeScript compiler.
//
//     NODE_PATH=…/node_modules node bench/structure/oracles/typescript_calls.cjs ROOT FILE
//
// Needs the npm package `typescript` (5.x: the last with a JavaScript API). Writes the JSON of jedi_calls.py. A verdict is
// `inside` (a function, method or class of the project), `value` (a name of the project that holds something to call:
// `const f = make()`, a property of a function type), `local` (a parameter, or taken out of an object), `outside` (declared
// elsewhere), or `unknown` (the compiler has no declaration for it). Aliases, re-exports, `{ name }` and `export default name`
// are followed to the declaration, and so is a name taken out of an object whose type is that of one function or class. Packages of a workspace are found by their names in package.json, as their
// package manager would link them; packages from outside are not installed, so what comes from them is `unknown`.
'use strict';
const fs = require('fs');
const path = require('path');
const ts = require('typescript');

const LEFT_OUT = new Set(['node_modules', '.git', 'dist', 'build', 'coverage']);
const SOURCE = /\.(ts|tsx|mts|cts|js|jsx|mjs|cjs)$/;

function* files(folder) {
  const entries = fs.readdirSync(folder, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1));
  for (const entry of entries) {
    if (LEFT_OUT.has(entry.name)) continue;
    const full = path.join(folder, entry.name);
    if (entry.isDirectory()) yield* files(full);
    else if (entry.isFile()) yield full;
  }
}

// name -> folder of every package of the workspace, as `paths` of a tsconfig.
function workspace(root, all) {
  const paths = {};
  for (const file of all) {
    if (path.basename(file) !== 'package.json') continue;
    let name;
    try {
      name = JSON.parse(fs.readFileSync(file, 'utf8')).name;
    } catch {
      continue;
    }
    const folder = path.relative(root, path.dirname(file));
    if (!name || !folder || paths[name]) continue;
    paths[name] = [`${folder}/src/index`, `${folder}/src`, folder];
    paths[`${name}/*`] = [`${folder}/src/*`, `${folder}/src/*/index`, `${folder}/*`];
  }
  return paths;
}

function calleeName(node) {
  if (!ts.isCallExpression(node) && !ts.isNewExpression(node)) return undefined;
  let callee = node.expression;
  while (ts.isParenthesizedExpression(callee) || ts.isNonNullExpression(callee)) callee = callee.expression;
  if (ts.isIdentifier(callee)) return callee;
  if (ts.isPropertyAccessExpression(callee)) return callee.name;
  return undefined;
}

const LOCAL = new Set([ts.SyntaxKind.Parameter, ts.SyntaxKind.BindingElement]);
const isFunction = (node) => !!node && (ts.isFunctionExpression(node) || ts.isArrowFunction(node) || ts.isClassExpression(node));

// Whether a declaration says what runs: a function, a method, a class, or a name for one; not a value or its type.
function runs(node) {
  if (ts.isFunctionLike(node) || ts.isClassLike(node)) return true;
  if (ts.isVariableDeclaration(node) || ts.isPropertyAssignment(node) || ts.isPropertyDeclaration(node)) return isFunction(node.initializer);
  let up = node;
  while (ts.isIdentifier(up) || ts.isPropertyAccessExpression(up) || ts.isElementAccessExpression(up)) up = up.parent;
  return ts.isBinaryExpression(up) && isFunction(up.right);
}

// The symbol behind an alias, behind `{ name }` and behind `export default name`.
function real(checker, symbol) {
  for (let steps = 0; symbol && steps < 10; steps++) {
    const one = symbol.declarations && symbol.declarations.length === 1 ? symbol.declarations[0] : undefined;
    let next;
    if (symbol.flags & ts.SymbolFlags.Alias) next = checker.getAliasedSymbol(symbol);
    else if (one && ts.isShorthandPropertyAssignment(one)) next = checker.getShorthandAssignmentValueSymbol(one);
    else if (one && ts.isExportAssignment(one) && ts.isIdentifier(one.expression)) next = checker.getSymbolAtLocation(one.expression);
    if (!next || next === symbol) return symbol;
    symbol = next;
  }
  return symbol;
}

// A definition: file, line of its name, first line, kind.
function place(node, root) {
  const file = node.getSourceFile();
  const named = ts.getNameOfDeclaration(node) || node;
  const first = file.getLineAndCharacterOfPosition(node.getStart()).line + 1;
  const line = file.getLineAndCharacterOfPosition(named.getStart()).line + 1;
  return [path.relative(root, file.fileName), line, first, ts.SyntaxKind[node.kind]];
}

// The function or class whose type a name has that was taken out of an object: `const { f } = await import('./f')`.
function behind(checker, name, declarations, root) {
  if (!declarations.every(ts.isBindingElement)) return undefined;
  const symbol = checker.getTypeAtLocation(name).symbol;
  const made = ((symbol && symbol.declarations) || []).find(
    (one) => ts.isFunctionDeclaration(one) || ts.isClassDeclaration(one) || ts.isMethodDeclaration(one),
  );
  return made && made.getSourceFile().fileName.startsWith(root + '/') ? made : undefined;
}

function judge(checker, name, root) {
  const symbol = real(checker, checker.getSymbolAtLocation(name));
  const declarations = (symbol && symbol.declarations) || [];
  const inside = declarations.filter((one) => one.getSourceFile().fileName.startsWith(root + '/'));
  if (!declarations.length) return ['unknown', []];
  if (!inside.length) return ['outside', []];
  const targets = inside.map((one) => place(one, root));
  if (inside.some(runs)) return ['inside', targets];
  const meant = behind(checker, name, inside, root);
  if (meant) return ['inside', [...targets, place(meant, root)]];
  return [inside.every((one) => LOCAL.has(one.kind)) ? 'local' : 'value', targets];
}

function main() {
  const root = fs.realpathSync(process.argv[2]);
  const all = [...files(root)];
  const program = ts.createProgram(all.filter((file) => SOURCE.test(file)), {
    allowJs: true,
    checkJs: false,
    noEmit: true,
    skipLibCheck: true,
    jsx: ts.JsxEmit.Preserve,
    target: ts.ScriptTarget.ESNext,
    module: ts.ModuleKind.ESNext,
    moduleResolution: ts.ModuleResolutionKind.Bundler,
    allowImportingTsExtensions: true,
    esModuleInterop: true,
    strict: true,
    baseUrl: root,
    paths: workspace(root, all),
    types: [],
  });
  const checker = program.getTypeChecker();
  const sites = [];
  for (const file of program.getSourceFiles()) {
    if (!file.fileName.startsWith(root + '/')) continue;
    const relative = path.relative(root, file.fileName);
    const visit = (node) => {
      const name = calleeName(node);
      if (name) {
        const [verdict, targets] = judge(checker, name, root);
        const line = file.getLineAndCharacterOfPosition(name.getStart()).line + 1;
        sites.push({ path: relative, line, name: name.text, verdict, targets, detail: '' });
      }
      ts.forEachChild(node, visit);
    };
    visit(file);
  }
  fs.mkdirSync(path.dirname(process.argv[3]), { recursive: true });
  const about = { oracle: `TypeScript ${ts.version}`, call_sites: sites.length };
  fs.writeFileSync(process.argv[3], JSON.stringify({ about, sites }));
}

main();
