// Placeholder of the sample project, until the real one stands here.
export const sampleFiles: Record<string, string> = {
  "package.json": '{"name":"sample","private":true,"type":"module","scripts":{"test":"node --test"}}\n',
  "README.md": "# Sample\n",
};
