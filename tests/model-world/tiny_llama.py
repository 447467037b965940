"""llama.cpp's server with a model of random weights: `tiny_llama.py MODEL`.

It prints its address and serves until it is killed. The model answers in random letters, which is enough: what is
tested is the wire. A token is a byte of the prompt.
"""

import sys
import threading
from pathlib import Path

import gguf
import numpy
import xllamacpp

CONTEXT_TOKENS = 16384
LAYERS, WIDTH, HEADS, FEED_FORWARD = 1, 64, 4, 128
END_TOKEN = 2
# The first dimension is the same for all words and changed by no layer, so a weight in it is a constant preference: the
# end comes after some thirty tokens, and most of them are letters.
CONSTANT, END_WEIGHT, BYTE_WEIGHT = 10.0, 0.2, -1.0
# Enough for the template of ChatML; the words are single bytes.
TEMPLATE = (
    "{% for message in messages %}<|im_start|>{{ message['role'] }}\n{{ message['content'] }}<|im_end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)


def tokens():
    """Texts and types of the tokens: three special ones, the bytes, and the printable letters."""
    kinds = gguf.TokenType
    listed = [("<unk>", kinds.UNKNOWN), ("<s>", kinds.CONTROL), ("<|im_end|>", kinds.CONTROL)]
    listed += [(f"<0x{byte:02X}>", kinds.BYTE) for byte in range(256)]
    listed += [(chr(letter), kinds.NORMAL) for letter in range(0x21, 0x7F)]
    listed += [("\u2581", kinds.NORMAL)]
    return listed


def write_model(path):
    writer = gguf.GGUFWriter(path, "llama")
    writer.add_context_length(CONTEXT_TOKENS)
    writer.add_embedding_length(WIDTH)
    writer.add_block_count(LAYERS)
    writer.add_feed_forward_length(FEED_FORWARD)
    writer.add_head_count(HEADS)
    writer.add_head_count_kv(HEADS)
    writer.add_layer_norm_rms_eps(1e-5)
    writer.add_rope_dimension_count(WIDTH // HEADS)
    listed = tokens()
    writer.add_vocab_size(len(listed))
    writer.add_tokenizer_model("llama")
    writer.add_token_list([text.encode() for text, _ in listed])
    writer.add_token_scores([0.0] * len(listed))
    writer.add_token_types([kind for _, kind in listed])
    writer.add_unk_token_id(0)
    writer.add_bos_token_id(1)
    writer.add_eos_token_id(END_TOKEN)
    writer.add_chat_template(TEMPLATE)
    random = numpy.random.default_rng(1)

    def weights(rows, columns):
        return (random.standard_normal((rows, columns)) * 0.1).astype(numpy.float32)

    def within(rows, columns):
        """Weights whose result leaves the first dimension alone."""
        matrix = weights(rows, columns)
        matrix[0] = 0
        return matrix

    embedding, output = weights(len(listed), WIDTH), weights(len(listed), WIDTH)
    embedding[:, 0] = CONSTANT
    output[:, 0] = [BYTE_WEIGHT if kind == gguf.TokenType.BYTE else 0 for _, kind in listed]
    output[END_TOKEN, 0] = END_WEIGHT
    writer.add_tensor("token_embd.weight", embedding)
    writer.add_tensor("output.weight", output)
    writer.add_tensor("output_norm.weight", numpy.ones(WIDTH, numpy.float32))
    for layer in range(LAYERS):
        for name in ("attn_q", "attn_k", "attn_v"):
            writer.add_tensor(f"blk.{layer}.{name}.weight", weights(WIDTH, WIDTH))
        writer.add_tensor(f"blk.{layer}.attn_output.weight", within(WIDTH, WIDTH))
        writer.add_tensor(f"blk.{layer}.ffn_gate.weight", weights(FEED_FORWARD, WIDTH))
        writer.add_tensor(f"blk.{layer}.ffn_up.weight", weights(FEED_FORWARD, WIDTH))
        writer.add_tensor(f"blk.{layer}.ffn_down.weight", within(WIDTH, FEED_FORWARD))
        writer.add_tensor(f"blk.{layer}.attn_norm.weight", numpy.ones(WIDTH, numpy.float32))
        writer.add_tensor(f"blk.{layer}.ffn_norm.weight", numpy.ones(WIDTH, numpy.float32))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def serve(path):
    params = xllamacpp.CommonParams()
    params.model.path = str(path)
    params.n_ctx = CONTEXT_TOKENS
    params.n_parallel = 1
    # Two would wait for each other on a busy machine.
    params.cpuparams.n_threads = 1
    params.cpuparams_batch.n_threads = 1
    params.warmup = False
    params.port = 0
    server = xllamacpp.Server(params)
    print(server.listening_address, flush=True)
    threading.Event().wait()


if __name__ == "__main__":
    model = Path(sys.argv[1])
    write_model(model)
    serve(model)
