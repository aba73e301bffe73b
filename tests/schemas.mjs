// Compiles every tool's schemas with ajv in strict mode, and checks that they accept and refuse what they must.
// Usage: node tests/schemas.mjs PATH_OF_HELVE
import { execFileSync } from "node:child_process";
import { createRequire } from "node:module";

const require = createRequire(new URL("./node/", import.meta.url));
const Ajv = require("ajv/dist/2020").default;

const helve = process.argv[2];
const nowhere = "/nonexistent";
const env = { PATH: process.env.PATH, HOME: nowhere, XDG_STATE_HOME: nowhere, XDG_CONFIG_HOME: nowhere };
const tools = JSON.parse(execFileSync(helve, ["tools", "--json"], { encoding: "utf8", env }));
let failures = 0;
const fail = (tool, what) => {
  failures += 1;
  console.log(`${tool}: ${what}`);
};

// The simplest value that a schema should accept.
const sample = (schema) => {
  if (schema.enum) return schema.enum[0];
  if (schema.type === "string") return "x".repeat(schema.minLength ?? 1);
  if (schema.type === "integer" || schema.type === "number") return schema.minimum ?? 1;
  if (schema.type === "boolean") return true;
  if (schema.type === "array") return Array.from({ length: schema.minItems ?? 1 }, () => sample(schema.items));
  if (schema.type === "object") {
    const names = schema.required ?? [];
    return Object.fromEntries(names.map((name) => [name, sample(schema.properties[name])]));
  }
  return null;
};

for (const tool of tools) {
  for (const part of ["inputSchema", "outputSchema"]) {
    const schema = tool[part];
    if (schema === null) continue;
    try {
      const validate = new Ajv({ strict: true, strictTypes: true, strictRequired: true, allErrors: true }).compile(schema);
      if (part !== "inputSchema") continue;
      const good = sample(schema);
      if (!validate(good)) fail(tool.name, `refuses ${JSON.stringify(good)}: ${JSON.stringify(validate.errors)}`);
      if (validate({ ...good, "no such parameter": 1 })) fail(tool.name, "accepts a parameter that it does not know");
      for (const [name, property] of Object.entries(schema.properties)) {
        if (!property.description) fail(tool.name, `does not describe ${name}`);
        if ("default" in property && !new Ajv({ strict: true }).compile(property)(property.default))
          fail(tool.name, `has a default for ${name} that its own schema refuses`);
      }
    } catch (error) {
      fail(tool.name, `${part} is not strict JSON Schema 2020-12: ${error.message}`);
    }
  }
}
console.log(`${tools.length} tools, ${failures} failures`);
process.exit(failures === 0 && tools.length > 0 ? 0 : 1);
